// StudiedParameters: a model and those of its parameters that a study changes, with what follows
// from them.
//
//   StudiedParameters space(model, origins, {"m", "start.knee.angle"});
//   Model heavier = space.at({2, 0.3});
//
// Parameters that the file defines by others follow them, as they do when the file is read with
// another value. `start.NAME` is the initial value of a quantity or a rate that the model gives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

namespace koppel {

class StudiedParameters {
 public:
  // `origins` as they were read; empty: no parameter follows from others. Throws Error
  // `study.unknown-parameter`, with a suggestion, and `study.built-in` for those that a model has
  // built in, such as counts and the points of tables: it has no derivatives by them. So have runs
  // what their settings follow from; give_setting() says which of them are given otherwise.
  StudiedParameters(Model model, std::vector<ParameterOrigin> origins,
                    std::vector<std::string> names);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& values() const { return values_; }  // of the model
  const Model& model() const { return model_; }

  // Places of those that are studied, and of what follows from them.
  std::vector<std::size_t> changed() const;
  Model at(std::span<const double> values) const;
  // The same for the values of all parameters, those of before being given. Any number of threads,
  // each with its own work.
  using Work = std::vector<Workspace>;
  Work make_work(Uses uses = Uses::Many) const;
  void put(std::span<const double> values, std::span<double> all, Work& work) const;
  // ∂p/∂θ of all parameters of a model at a point: one vector for each that is studied.
  std::vector<std::vector<double>> directions(const Model& there) const;

 private:
  Model model_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;
  std::vector<double> values_;
  // Parameters that follow from others, in the order in which they are found.
  struct Follower {
    std::size_t place;
    Expr definition;
    Function value;  // of all parameters
  };
  std::vector<Follower> followers_;
};

}  // namespace koppel
