#include <koppel/results/report.hpp>

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include <koppel/base/whole_file.hpp>
#include <koppel/equations/kinematics.hpp>

namespace koppel {

extern const char* const kReportTemplate;  // embedded from viewer/

namespace {

constexpr std::string_view kMarker = "/*DATA*/null";

// Writes JSON. A library would print all digits of every number; the page needs seven.
class JsonText {
 public:
  void raw(std::string_view text) { out_ += text; }

  void string(const std::string& text) {
    const std::string quoted =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    for (const char c : quoted) {
      if (c == '<') {
        out_ += "\\u003c";
      } else {
        out_ += c;
      }
    }
  }

  void key(std::string_view name) {
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  void number(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
    } else {
      fmt::format_to(std::back_inserter(out_), "{:.7g}", value);
    }
  }

  // [item, item, …], each written by `write`.
  template <typename Items, typename Write>
  void list(const Items& items, Write&& write) {
    out_ += '[';
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out_ += ',';
      is_first = false;
      write(item);
    }
    out_ += ']';
  }

  template <typename Numbers>
  void numbers(const Numbers& values) {
    list(values, [&](double value) { number(value); });
  }
  void vector(const Vec3<double>& v) { numbers(std::array{v.x, v.y, v.z}); }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

const char* name_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::Box: return "box";
    case Shape::Kind::Cylinder: return "cylinder";
    case Shape::Kind::Sphere: return "sphere";
    case Shape::Kind::Line: return "line";
  }
  return "";
}

void add_shape(JsonText& json, const Shape& shape) {
  json.raw("{"), json.key("kind"), json.string(name_of(shape.kind));
  if (shape.kind == Shape::Kind::Line) {
    json.raw(","), json.key("points");
    json.list(shape.points, [&](const Vec3<double>& p) { json.vector(p); });
  } else {
    json.raw(","), json.key("size"), json.vector(shape.size);
    json.raw(","), json.key("position"), json.vector(shape.position);
    json.raw(","), json.key("quaternion"), json.numbers(quaternion_of(shape.axes));
  }
  json.raw("}");
}

void add_body(JsonText& json, const Scene::BodyPicture& body) {
  json.raw("{"), json.key("name"), json.string(body.name);
  json.raw(","), json.key("com"), json.vector(body.com);
  json.raw(","), json.key("shapes");
  json.list(body.shapes, [&](const Shape& shape) { add_shape(json, shape); });
  json.raw(","), json.key("points");
  json.list(body.points, [&](const Vec3<double>& p) { json.vector(p); });
  json.raw("}");
}

void add_end_values(JsonText& json, const Scene::End& end) {
  json.key("body"), json.raw(std::to_string(end.body));
  json.raw(","), json.key("point"), json.vector(end.point);
}

void add_end(JsonText& json, std::string_view name, const Scene::End& end) {
  json.key(name), json.raw("{"), add_end_values(json, end), json.raw("}");
}

void add_scene(JsonText& json, const Scene& scene) {
  json.raw("{"), json.key("planar"), json.raw(scene.is_planar ? "true" : "false");
  json.raw(","), json.key("bodies");
  json.list(scene.bodies, [&](const Scene::BodyPicture& body) { add_body(json, body); });
  json.raw(","), json.key("joints");
  json.list(scene.joints, [&](const Scene::JointPicture& joint) {
    json.raw("{"), json.key("name"), json.string(joint.name);
    json.raw(","), json.key("kind"), json.string(joint.kind);
    json.raw(","), add_end_values(json, joint.at);
    json.raw(","), json.key("axis"), json.vector(joint.axis);
    json.raw(","), add_end(json, "other", joint.other);
    json.raw("}");
  });
  json.raw(","), json.key("springs");
  json.list(scene.springs, [&](const Scene::SpringPicture& spring) {
    json.raw("{"), json.key("name"), json.string(spring.name);
    json.raw(","), add_end(json, "a", spring.a);
    json.raw(","), add_end(json, "b", spring.b);
    json.raw("}");
  });
  json.raw(","), json.key("times"), json.numbers(scene.times);
  json.raw(","), json.key("frames");
  json.list(scene.frames, [&](const std::vector<Scene::Pose>& frame) {
    std::vector<double> values;
    for (const Scene::Pose& pose : frame) values.insert(values.end(), pose.begin(), pose.end());
    json.numbers(values);
  });
  json.raw("}");
}

void add_columns(JsonText& json, const Trajectory& trajectory) {
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
  json.raw(","), json.key("data"), json.raw("[");
  for (std::size_t i = 0; i < trajectory.num_columns(); ++i) {
    if (i > 0) json.raw(",");
    json.list(rows, [&](std::size_t row) { json.number(trajectory.column(i)[row]); });
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
  json.raw(","), add_columns(json, *report.trajectory);
  json.raw(","), json.key("scene");
  if (report.scene) {
    add_scene(json, *report.scene);
  } else {
    json.raw("null");
  }
  json.raw("}");
  return json.take();
}

std::string to_html(const Report& report) {
  const std::string_view page = kReportTemplate;
  const std::size_t place = page.find(kMarker);
  assert(place != std::string_view::npos);
  return std::string(page.substr(0, place)) + to_json(report) +
         std::string(page.substr(place + kMarker.size()));
}

void write_report(const std::filesystem::path& path, const Report& report) {
  write_text(path, to_html(report));
}

}  // namespace koppel
