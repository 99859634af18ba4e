// What the workbench (`koppel play`) answers to its page, without a network: a model is read,
// checked and examined, and its step is sent as WebAssembly, so that it runs where it is touched.
//
// A page sends JSON objects, one a message:
//   {"kind": "open", "name": N}                   a built-in model; "": the opened file
//   {"kind": "edit", "number": n, "name": N, "text": T}   the text of the model as it is now
//   {"kind": "picture", "name": N}                of a built-in model, for the gallery
//   {"kind": "save", "text": T}                   to the opened file
// and gets
//   {"kind": "hello", "file", "gallery": [{"name", "description"}]}
//   {"kind": "text", "name", "text", "can_save"}
//   {"kind": "errors", "number", "errors": [{"line", "column", "id", "message", "hint"}]}
//   {"kind": "mechanism", "number", "mechanism": see viewer/src/mechanism.ts, "doctor": [[what,
//   text]]}
//     and after it, as bytes, the module
//   {"kind": "picture", "name", "scene"}, {"kind": "saved"}, {"kind": "failed", "message"}
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace koppel {

struct PlayMessage {
  std::string data;
  bool is_binary = false;
};

// A message that no page of ours sends; what() is the reason.
class BadMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct WorkbenchOptions {
  std::filesystem::path file;                  // empty: none is opened, the gallery is shown
  bool can_save = true;                        // to that file
  std::vector<std::filesystem::path> gallery;  // built-in models
};

// Several threads may ask at the same time.
class Workbench {
 public:
  using Send = std::function<void(PlayMessage)>;

  // Reads the opened file; throws Error model.no-file.
  explicit Workbench(WorkbenchOptions options);

  // What a page is told first.
  std::string greeting() const;
  // Throws BadMessage. Mistakes of a model are answers.
  void answer(std::string_view message, const Send& send) const;

 private:
  struct Edit;
  std::filesystem::path path_of(const std::string& name) const;
  void open(const std::string& name, const Send& send) const;
  void edit(const Edit& edit, const Send& send) const;
  void picture(const std::string& name, const Send& send) const;
  void save(const std::string& text, const Send& send) const;

  WorkbenchOptions options_;
  std::vector<std::pair<std::string, std::string>> gallery_;  // name and description
};

}  // namespace koppel
