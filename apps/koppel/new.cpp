// koppel new: writes a model to begin with, a commented one or a copy of another.

#include <cstdio>
#include <filesystem>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/commands.hpp"

namespace koppel::app {

extern const char* const kStarterModel;  // starter.yaml

namespace {

namespace fs = std::filesystem;

// With the line `name: …` of the model itself, which has no indentation, replaced; or with one in
// front.
std::string with_name(std::string text, const std::string& name) {
  const std::string line = "name: \"" + name + "\"";
  std::size_t begin = text.starts_with("name:") ? 0 : text.find("\nname:");
  if (begin == text.npos) return line + '\n' + text;
  if (text[begin] == '\n') ++begin;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

struct NewOptions {
  std::string name, like;

  static const OptionTable& options();
};

const OptionTable& NewOptions::options() {
  using O = NewOptions;
  static const OptionTable kOptions = {{{.name = "name",
                                         .text = "Name of the model; the file is NAME.yaml",
                                         .typed = "NAME",
                                         .is_required = true},
                                        &O::name},
                                       {{.name = "like",
                                         .text = "Copy this model, a file or a built-in one",
                                         .value = "MODEL",
                                         .unless_given = "a small commented one"},
                                        &O::like}};
  return kOptions;
}

void write_model(const NewOptions& options) {
  const std::string& like = options.like;
  fs::path path = options.name;
  if (path.extension() != ".yaml" && path.extension() != ".yml") path += ".yaml";
  std::error_code error;
  if (fs::exists(path, error)) {
    throw Error("arguments.wrong", path.string() + " is there already.", "Give another name.");
  }
  const std::string text = with_name(
      like.empty() ? kStarterModel
                   : read_text(find_model(like), std::size_t{16} << 20, "model.too-large"),
      path.stem().string());
  read_model_text(text, path.string());  // files that it includes have to be beside the new one
  write_text(path, text);
  const std::string file = path.string();
  std::printf("%s\n`koppel check %s` looks at it, `koppel run %s` simulates it.\n", file.c_str(),
              file.c_str(), file.c_str());
}

}  // namespace

Command new_command() {
  return CommandOf<write_model>::make("new", "Write a model file to start from",
                                      "Example:\n  koppel new my_crane --like overhead_crane");
}

}  // namespace koppel::app
