// What the workbench (`koppel play`) answers to its page, without a network: a model is read,
// checked and examined, and its step is sent as WebAssembly, so that it runs where it is touched.
//
// A page sends JSON objects, one a message:
//   {"kind": "open", "name": N}                   a built-in model; "": the opened file
//   {"kind": "edit", "number": n, "name": N, "text": T}   the text of the model as it is now
//     further "set": {parameter: value}, and "pose": {coordinate or velocity: value}, where the
//     mechanism is at present
//   {"kind": "study", "of": S, "number": n, "name": N, "text": T, "set"}   a run or the like
//   {"kind": "picture", "name": N}                of a built-in model, for the gallery
//   {"kind": "save", "text": T}                   to the opened file
// and gets
//   {"kind": "hello", "file", "gallery": [{"name", "description"}]}
//   {"kind": "text", "name", "text", "can_save"}
//   {"kind": "errors", "number", "errors": [{"line", "column", "id", "message", "hint"}]}
//   {"kind": "mechanism", "number", "mechanism": see viewer/src/mechanism.ts, "doctor": [[what,
//   text]], "redundant": [joint], "present": [q, v] or null, "studies": [S]}
//     and after it, as bytes, the module
//   {"kind": "still", "number", "scene", "studies"}   in its place, where no step can be made
//   {"kind": "singular", "number", "texts": [text]}   of poses along the motion, later
//   {"kind": "report", "of": S, "number", "report": see results/report.hpp}
//   {"kind": "picture", "name", "scene"}, {"kind": "saved"}, {"kind": "failed", "message"}
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

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

// What a page can have computed of its model, such as an accurate run. `compute` gives a report as
// JSON; it ends early, with what there is, when `goes_on` says false.
struct PlayStudy {
  std::string name;
  std::function<bool(const Model&)> applies;
  std::function<std::string(const Model&, const std::function<bool()>& goes_on)> compute;
};

struct WorkbenchOptions {
  std::filesystem::path file;                  // empty: none is opened, the gallery is shown
  bool can_save = true;                        // to that file
  std::vector<std::filesystem::path> gallery;  // built-in models
  std::vector<PlayStudy> studies = {};
};

// Several threads may ask at the same time.
class Workbench {
 public:
  // Messages that stay together.
  using Send = std::function<void(std::vector<PlayMessage>)>;
  // What takes longer than a keystroke. A newer task of the same kind makes an older one useless.
  struct Task {
    enum class Kind { Mechanism, Study } kind = Kind::Mechanism;
    std::function<void(const Send&, const std::function<bool()>& goes_on)> run;
  };

  // Reads the opened file; throws Error model.no-file.
  explicit Workbench(WorkbenchOptions options);

  // What a page is told first.
  std::string greeting() const;
  // Answers what is known at once; what is left to be done is returned (its `run` is empty: nothing
  // is). Throws BadMessage. Mistakes of a model are answers.
  Task answer(std::string_view message, const Send& send) const;

 private:
  struct Edit;
  std::filesystem::path path_of(const std::string& name) const;
  void open(const std::string& name, const Send& send) const;
  Task edit(std::shared_ptr<const Edit> edit, const Send& send) const;
  std::vector<std::string> studies_of(const Model& model) const;
  Task study(const std::string& name, std::shared_ptr<const Edit> edit) const;
  void make_mechanism(const Edit& edit, const Model& model,
                      const std::vector<ParameterOrigin>& origins, const Send& send,
                      const std::function<bool()>& goes_on) const;
  void picture(const std::string& name, const Send& send) const;
  void save(const std::string& text, const Send& send) const;

  WorkbenchOptions options_;
  std::set<std::string> files_;  // that the opened file reads, as it was when it was opened
  std::vector<std::pair<std::string, std::string>> gallery_;  // name and description
  // Pictures that were asked for; built-in models do not change. At most one for each of them.
  mutable std::mutex pictures_mutex_;
  mutable std::map<std::string, std::string> pictures_;
};

}  // namespace koppel
