// Where the parts of a model stand in its file: places for errors that only the mathematics finds.
//
// Readers know the place of what they refuse. That a loop cannot close or that an initial value
// cannot be met is found where there are equations and no files any more; the subject of such an
// error gives the place: a joint, a body, a constraint (rod), something of it (rod.rigid11), or
// what an initial value is of (slide.position).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

class Places {
 public:
  Places() = default;
  explicit Places(const Model& model);

  // The error with a place for each diagnostic that has none and is about a part of the model.
  Error locate(const Error& error) const;

 private:
  using Map = std::unordered_map<std::string, Location>;
  void add(Map& map, std::string_view name, const Location& where) const;
  const Location* find(const Diagnostic& d) const;

  std::string file_;
  Map parts_, initial_;
};

}  // namespace koppel
