#include <koppel/results/report.hpp>

#include <cassert>
#include <tuple>

#include <koppel/base/whole_file.hpp>
#include <koppel/results/json_text.hpp>
#include <koppel/results/scene_json.hpp>

namespace koppel {

extern const char* const kReportTemplate;  // embedded from viewer/

namespace {

constexpr std::string_view kMarker = "/*DATA*/null";

// Numbers of a scene that moves.
std::size_t num_in_frames(const Scene& scene) {
  if (scene.frames.empty()) return 0;
  const Scene::Frame& frame = scene.frames.front();
  return scene.frames.size() *
         (frame.poses.size() * std::tuple_size_v<Scene::Pose> + frame.drawn.size() + 3);
}

// With room for `num_later` numbers after them.
void add_columns(JsonText& json, const Trajectory& trajectory, std::size_t num_later) {
  json.key("columns");
  json.list(trajectory.columns(), [&](const Column& column) {
    json.raw("{"), json.key("name"), json.string(column.name);
    json.raw(","), json.key("unit"), json.string(column.unit);
    json.raw(","), json.key("group"), json.string(std::string(name_of(column.group)));
    json.raw("}");
  });
  const std::size_t num_columns = std::max<std::size_t>(trajectory.num_columns(), 1);
  const std::size_t most =
      std::min(kMaxPlotted, std::max<std::size_t>(kMaxNumbers / num_columns, 100));
  const std::vector<std::size_t> rows = thin_evenly(trajectory.num_rows(), most);
  json.reserve_packed((rows.size() + 3) * num_columns + num_later);
  json.raw(","), json.key("data"), json.raw("[");
  std::vector<double> values(rows.size());
  for (std::size_t i = 0; i < trajectory.num_columns(); ++i) {
    if (i > 0) json.raw(",");
    for (std::size_t k = 0; k < rows.size(); ++k) values[k] = trajectory.column(i)[rows[k]];
    json.packed(values);
  }
  json.raw("]");
}

}  // namespace

std::string to_json(const Report& report) {
  assert(report.trajectory != nullptr);
  JsonText json;
  json.raw("{"), json.key("title"), json.string(report.title);
  json.raw(","), json.key("description"), json.string(report.description);
  json.raw(","), json.key("summary");
  json.list(report.summary, [&](const auto& entry) {
    json.raw("{"), json.key("label"), json.string(entry.first);
    json.raw(","), json.key("value"), json.string(entry.second), json.raw("}");
  });
  json.raw(","), json.key("messages");
  json.list(report.messages, [&](const std::string& message) { json.string(message); });
  json.raw(","), json.key("alarms");
  json.list(report.alarms, [&](const std::string& alarm) { json.string(alarm); });
  json.raw(",");
  add_columns(json, *report.trajectory, report.scene ? num_in_frames(*report.scene) : 0);
  json.raw(","), json.key("scene");
  if (report.scene) {
    add_scene(json, *report.scene);
  } else {
    json.raw("null");
  }
  if (report.scene && report.beside) {
    json.raw(","), json.key("label"), json.string(report.scene_label);
    json.raw(","), json.key("beside"), json.raw("{");
    json.key("label"), json.string(report.beside_label);
    json.raw(","), json.key("scene"), add_scene(json, *report.beside);
    json.raw("}");
  }
  json.raw("}");
  return json.take();
}

namespace {

// The page around the data.
struct Page {
  std::string_view before, after;
};

Page page_of_reports() {
  const std::string_view page = kReportTemplate;
  const std::size_t place = page.find(kMarker);
  assert(place != std::string_view::npos);
  return {page.substr(0, place), page.substr(place + kMarker.size())};
}

}  // namespace

std::string to_html(const Report& report) {
  const Page page = page_of_reports();
  return std::string(page.before) + to_json(report) + std::string(page.after);
}

// Of megabytes no copy is made.
void write_report(const std::filesystem::path& path, const Report& report) {
  const Page page = page_of_reports();
  const std::string data = to_json(report);
  const std::string_view texts[] = {page.before, data, page.after};
  write_text(path, texts);
}

}  // namespace koppel
