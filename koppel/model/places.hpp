// Where the parts of a model stand in its file: places for errors that only the mathematics finds.
//
// Readers know the place of what they refuse. That a loop cannot close or that an initial value
// cannot be met is found where there are equations and no files any more; such an error quotes the
// name of what is wrong: a joint, a body, a constraint ('rod'), something of it ('rod.rigid11'), or
// what an initial value is of ('slide.position'). The first name that the model knows gives the
// place.
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

  // The error with a place for each diagnostic that has none and names a part of the model. Those
  // about arguments and options that are no part of a model stay as they are.
  Error locate(const Error& error) const;

 private:
  using Map = std::unordered_map<std::string, Location>;
  void add(Map& map, std::string_view name, const Location& where) const;
  const Location* find(std::string_view id, std::string_view message) const;

  std::string model_name_, file_;
  Map parts_, initial_;
};

}  // namespace koppel
