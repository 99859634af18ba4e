#include <koppel/play/workbench.hpp>

#include <algorithm>
#include <optional>

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

// A page may not make the program read files: those that the text on disk names, and no others.
void refuse_new_files(std::string_view text, const std::filesystem::path& path) {
  const std::set<std::string> known = files_in(text_of(path), path.string());
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

}  // namespace

struct Workbench::Edit {
  std::uint64_t number;
  std::string name, text;
};

Workbench::Workbench(WorkbenchOptions options) : options_(std::move(options)) {
  if (!options_.file.empty()) text_of(options_.file);
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

void Workbench::answer(std::string_view message, const Send& send) const {
  const Json json = Json::parse(message, nullptr, false);
  if (!json.is_object()) throw BadMessage("the message is not a JSON object");
  const auto kind = get<std::string>(json, "kind");
  try {
    if (kind == "open") return open(get<std::string>(json, "name"), send);
    if (kind == "picture") return picture(get<std::string>(json, "name"), send);
    if (kind == "save") return save(get<std::string>(json, "text"), send);
    if (kind == "edit") {
      return edit({get<std::uint64_t>(json, "number"), get<std::string>(json, "name"),
                   get<std::string>(json, "text")},
                  send);
    }
  } catch (const Error& error) {
    return send({dump({{"kind", "failed"}, {"message", error.what()}})});
  } catch (const WriteError& error) {
    return send({dump({{"kind", "failed"}, {"message", error.what()}})});
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
  send({dump({{"kind", "text"},
              {"name", name},
              {"text", text_of(path_of(name))},
              {"can_save", name.empty() && options_.can_save}})});
}

void Workbench::edit(const Edit& edit, const Send& send) const {
  const std::filesystem::path path = path_of(edit.name);
  const auto tell = [&](const Json& errors) {
    send({dump({{"kind", "errors"}, {"number", edit.number}, {"errors", errors}})});
  };
  try {
    refuse_new_files(edit.text, path);
    std::vector<ParameterOrigin> origins;
    const Model model = read_model_text(edit.text, path.string(), {}, origins);
    tell(Json::array());
    Playable playable = make_playable(model, std::move(origins));
    Json doctor = Json::array();
    for (const auto& [what, text] : playable.doctor) doctor.push_back({what, text});
    send({"{\"kind\":\"mechanism\",\"number\":" + std::to_string(edit.number) +
          ",\"doctor\":" + dump(doctor) + ",\"mechanism\":" + playable.page.data + '}'});
    send({std::move(playable.page.module), true});
  } catch (const Error& error) {
    tell(errors_of(error, path));
  }
}

void Workbench::picture(const std::string& name, const Send& send) const {
  if (name.empty()) throw BadMessage("there is no model of this name");
  const Model model = read_model(path_of(name));
  send({"{\"kind\":\"picture\",\"name\":" + dump(name) + ",\"scene\":" + still_picture(model) +
        '}'});
}

void Workbench::save(const std::string& text, const Send& send) const {
  if (options_.file.empty() || !options_.can_save)
    throw BadMessage("no file is opened to be saved");
  write_text(options_.file, text);
  send({dump({{"kind", "saved"}})});
}

}  // namespace koppel
