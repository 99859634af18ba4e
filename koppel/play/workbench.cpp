#include <koppel/play/workbench.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/model/yaml/tree.hpp>
#include <koppel/play/playable.hpp>

namespace koppel {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const std::filesystem::path& path) {
  std::optional<std::string> text = yaml::read_file(path);
  if (!text) {
    throw Error(
        {Diagnostic{"model.no-file", "cannot read the file.", {}, {path.string(), 0, 0}, {}}});
  }
  return std::move(*text);
}

// Sub-assemblies, robots, signals: whatever names a file does so by one of two keys.
void add_files(const yaml::Node& node, std::set<std::string>& names) {
  for (const yaml::Node& item : node.items) add_files(item, names);
  for (const yaml::Entry& entry : node.entries) {
    if (entry.key == "file" || entry.key == "urdf") names.insert(entry.value.text);
    add_files(entry.value, names);
  }
}

// The files that a text reads, as it names them.
std::set<std::string> files_in(std::string_view text, const std::string& file) {
  std::set<std::string> names;
  const yaml::Source source(file, std::string(text));
  add_files(yaml::read_tree(source), names);
  return names;
}

// A page may not make the program read files: the known ones, and no others.
void refuse_new_files(std::string_view text, const std::filesystem::path& path,
                      const std::set<std::string>& known) {
  for (const std::string& name : files_in(text, path.string())) {
    if (known.contains(name)) continue;
    throw Error("play.include",
                "'" + name + "' is not among the files that the opened model reads.",
                "The workbench reads no others. Save, and start it again.");
  }
}

Json errors_of(const Error& error, const std::filesystem::path& path) {
  Json errors = Json::array();
  for (const Diagnostic& d : error.diagnostics()) {
    const bool is_here = d.where.file.empty() || d.where.file == path.string();
    errors.push_back({{"line", is_here ? d.where.line : 0},
                      {"column", is_here ? d.where.column : 0},
                      {"id", d.id},
                      {"message", d.message},
                      {"hint", d.hint}});
  }
  return errors;
}

// A value of a message that must be there.
template <typename T>
T get(const Json& message, const char* key) {
  const auto found = message.find(key);
  const bool is_right =
      found != message.end() &&
      (std::is_same_v<T, std::string> ? found->is_string() : found->is_number_unsigned());
  if (!is_right) throw BadMessage(std::string("the message has no proper '") + key + "'");
  return found->get<T>();
}

// Numbers by name, where the message has them.
std::map<std::string, double> numbers_of(const Json& message, const char* key) {
  std::map<std::string, double> values;
  const auto found = message.find(key);
  if (found == message.end()) return values;
  if (!found->is_object()) throw BadMessage(std::string("'") + key + "' is not an object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_number()) throw BadMessage(std::string("'") + key + "' has what is no number");
    values[name] = value.get<double>();
  }
  return values;
}

PlayMessage to_message(const Json& json) { return {dump(json), false}; }

PlayMessage failure(const std::exception& error) {
  return to_message({{"kind", "failed"}, {"message", error.what()}});
}

// Empty where there is none, such as of a model that cannot be assembled.
std::string picture_of(const Model& model) {
  try {
    return still_picture(model);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

struct Workbench::Edit {
  std::uint64_t number;
  std::string name, text;
  std::map<std::string, double> set, pose;
  std::filesystem::path path;
  std::set<std::string> files;  // that may be read

  PlayMessage errors(const Json& errors) const {
    return to_message({{"kind", "errors"}, {"number", number}, {"errors", errors}});
  }
  // Throws Error.
  Model read(std::vector<ParameterOrigin>& origins) const {
    refuse_new_files(text, path, files);
    ReadOptions options;
    for (const auto& [parameter, value] : set) {
      options.set.emplace_back(parameter, fmt::format("{}", value));
    }
    return read_model_text(text, path.string(), options, origins);
  }
};

Workbench::Workbench(WorkbenchOptions options) : options_(std::move(options)) {
  if (!options_.file.empty()) files_ = files_in(text_of(options_.file), options_.file.string());
  for (const std::filesystem::path& path : options_.gallery) {
    const Model model = read_model(path);
    gallery_.emplace_back(path.stem().string(),
                          model.description.empty() ? model.name : model.description);
  }
}

std::string Workbench::greeting() const {
  Json gallery = Json::array();
  for (const auto& [name, description] : gallery_) {
    gallery.push_back({{"name", name}, {"description", description}});
  }
  return dump({{"kind", "hello"},
               {"file", options_.file.filename().string()},
               {"gallery", std::move(gallery)}});
}

Workbench::Task Workbench::answer(std::string_view message, const Send& send) const {
  const Json json = Json::parse(message, nullptr, false);
  if (!json.is_object()) throw BadMessage("the message is not a JSON object");
  const auto kind = get<std::string>(json, "kind");
  const auto changed = [&] {
    const auto name = get<std::string>(json, "name");
    const std::filesystem::path path = path_of(name);
    return std::make_shared<Edit>(
        Edit{get<std::uint64_t>(json, "number"), name, get<std::string>(json, "text"),
             numbers_of(json, "set"), numbers_of(json, "pose"), path,
             name.empty() ? files_ : files_in(text_of(path), path.string())});
  };
  try {
    if (kind == "open") return open(get<std::string>(json, "name"), send), Task{};
    if (kind == "picture") return picture(get<std::string>(json, "name"), send), Task{};
    if (kind == "save") return save(get<std::string>(json, "text"), send), Task{};
    if (kind == "edit") return edit(changed(), send);
    if (kind == "study") return study(get<std::string>(json, "of"), changed());
  } catch (const Error& error) {
    return send({failure(error)}), Task{};
  } catch (const WriteError& error) {
    return send({failure(error)}), Task{};
  }
  throw BadMessage("no message is of this kind");
}

std::filesystem::path Workbench::path_of(const std::string& name) const {
  if (name.empty() && !options_.file.empty()) return options_.file;
  const auto found = std::find_if(options_.gallery.begin(), options_.gallery.end(),
                                  [&](const auto& path) { return path.stem().string() == name; });
  if (found == options_.gallery.end()) throw BadMessage("there is no model of this name");
  return *found;
}

void Workbench::open(const std::string& name, const Send& send) const {
  send({to_message({{"kind", "text"},
                    {"name", name},
                    {"text", text_of(path_of(name))},
                    {"can_save", name.empty() && options_.can_save}})});
}

// Mistakes of the text at once; the mechanism, and what is found while it is made, later.
Workbench::Task Workbench::edit(std::shared_ptr<const Edit> edit, const Send& send) const {
  std::vector<ParameterOrigin> origins;
  try {
    auto model = std::make_shared<const Model>(edit->read(origins));
    send({edit->errors(Json::array())});
    return {Task::Kind::Mechanism, [this, edit, model, origins = std::move(origins)](
                                       const Send& later, const std::function<bool()>& goes_on) {
              try {
                make_mechanism(*edit, *model, origins, later, goes_on);
              } catch (const Error& error) {
                std::vector<PlayMessage> told = {edit->errors(errors_of(error, edit->path))};
                if (const std::string scene = picture_of(*model); !scene.empty()) {
                  told.push_back(
                      {fmt::format(R"({{"kind":"still","number":{},"studies":{},"scene":{}}})",
                                   edit->number, dump(studies_of(*model)), scene)});
                }
                later(std::move(told));
              }
            }};
  } catch (const Error& error) {
    send({edit->errors(errors_of(error, edit->path))});
    return {};
  }
}

void Workbench::make_mechanism(const Edit& edit, const Model& model,
                               const std::vector<ParameterOrigin>& origins, const Send& send,
                               const std::function<bool()>& goes_on) const {
  if (!goes_on()) return;
  Playable playable = make_playable(model, origins, edit.pose);
  Json about = {{"kind", "mechanism"}, {"number", edit.number}};
  about["doctor"] = Json::array();
  for (const auto& [what, text] : playable.doctor) about["doctor"].push_back({what, text});
  about["redundant"] = playable.redundant;
  about["present"] = playable.present.empty() ? Json() : Json(playable.present);
  about["studies"] = studies_of(model);
  std::string text = dump(about);
  text.back() = ',';  // its brace
  send({{text + "\"mechanism\":" + playable.page.data + '}', false},
        {std::move(playable.page.module), true}});
  if (!goes_on()) return;
  send({to_message(
      {{"kind", "singular"}, {"number", edit.number}, {"texts", find_singular_ahead(model)}})});
}

std::vector<std::string> Workbench::studies_of(const Model& model) const {
  std::vector<std::string> names;
  for (const PlayStudy& study : options_.studies) {
    if (study.applies(model)) names.push_back(study.name);
  }
  return names;
}

Workbench::Task Workbench::study(const std::string& name, std::shared_ptr<const Edit> edit) const {
  const auto found = std::find_if(options_.studies.begin(), options_.studies.end(),
                                  [&](const PlayStudy& study) { return study.name == name; });
  if (found == options_.studies.end()) throw BadMessage("there is no study of this name");
  return {Task::Kind::Study,
          [edit, &study = *found](const Send& send, const std::function<bool()>& goes_on) {
            try {
              std::vector<ParameterOrigin> origins;
              const std::string report = study.compute(edit->read(origins), goes_on);
              send({{fmt::format(R"({{"kind":"report","of":"{}","number":{},"report":{}}})",
                                 study.name, edit->number, report),
                     false}});
            } catch (const Error& error) {
              send({failure(error)});
            }
          }};
}

void Workbench::picture(const std::string& name, const Send& send) const {
  if (name.empty()) throw BadMessage("there is no model of this name");
  const std::filesystem::path path = path_of(name);
  std::optional<std::string> scene;
  {
    const std::lock_guard guard(pictures_mutex_);
    if (const auto known = pictures_.find(name); known != pictures_.end()) scene = known->second;
  }
  if (!scene) {
    scene = still_picture(read_model(path));
    const std::lock_guard guard(pictures_mutex_);
    pictures_[name] = *scene;
  }
  send({{"{\"kind\":\"picture\",\"name\":" + dump(name) + ",\"scene\":" + *scene + '}', false}});
}

void Workbench::save(const std::string& text, const Send& send) const {
  if (options_.file.empty() || !options_.can_save)
    throw BadMessage("no file is opened to be saved");
  write_text(options_.file, text);
  send({to_message({{"kind", "saved"}})});
}

}  // namespace koppel
