// Diagnostics: what went wrong, where, what was expected and what to do about it.
//
// A mistake in a user's input is a Diagnostic. Readers collect all of a file's diagnostics and
// throw them together as one Error. Ids such as `expr.unknown-name` are stable; messages are
// part of the tested contract. People read both; what a program has to decide or to look up, it
// takes from `cause`, `subject` and `named`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace koppel {

// A place in a text, counted from 1. line == 0: no place is known.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Cause {
  Other,
  UnknownName,   // nothing is called `named`
  UnknownKey,    // the subject has no such key; `named`: the one that was meant, where it is clear
  MissingPart,   // the subject lacks a key, a mass, an axis
  InitialValue,  // the initial value of the subject
  Method,        // the coordinates, the integrator or their options, whatever the model's values
  StepTooLong,   // no method holds at this step; one may at a shorter step
  HasEvents,     // the model has events, and what was asked for does not watch for them
  BuiltIn,  // other values of the parameter `subject` need another model; or `named`, a setting
            // of runs that follows it, is the same for all runs of a study
};

struct Diagnostic {
  std::string id;       // "expr.unknown-name"
  std::string message;  // one sentence, quoting what was found
  std::string hint;     // what to do; may be empty
  Location where;
  std::string excerpt;  // the offending line with a caret under it; may be empty
  Cause cause = Cause::Other;
  std::string subject = {};  // the part of the model that is wrong: "rod", "rod.rigid11"; or empty
  std::string named = {};    // a name that it uses or lacks: see Cause
};

// "crane.yaml:42:7: error[model.unknown-body]: …", then the excerpt and the hint, indented.
std::string to_string(const Diagnostic& diagnostic);

// Thrown for mistakes in the input. what() is the text of all diagnostics, one after another.
class Error : public std::runtime_error {
 public:
  explicit Error(std::vector<Diagnostic> diagnostics);
  Error(std::string_view id, std::string_view message, std::string_view hint = {});

  // The same about a part of the model, or with a cause:
  //   throw Error("simulate.jump", text).about(servo.name);
  Error&& about(std::string_view subject) &&;
  Error&& because(Cause cause) &&;

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool has(Cause cause) const;  // any of them

 private:
  std::vector<Diagnostic> diagnostics_;
};

// The excerpt for byte `offset` of `text`: its line (shortened around the place when long) and a
// caret under the place. Also fills in the line and the column, counted in characters.
void locate(std::string_view text, std::size_t offset, Diagnostic& diagnostic);

}  // namespace koppel
