#include <koppel/model/elements/sections.hpp>

namespace koppel {

std::span<const SectionInfo> model_sections() {
  static constexpr SectionInfo kSections[] = {
      {"name", "a text"},
      {"description", "a text"},
      {"dimension", "`2` or `3` (default). In planar models vectors have two components"},
      {"parameters", "names with numbers, or with expressions of other parameters, in any order"},
      {"tables", "functions of one variable, given by points"},
      {"gravity", "the acceleration of gravity, a vector; default: none"},
      {"inputs", "names of forces and torques that an actuator applies, with their limits"},
      {"include", "sub-assemblies from other files, and robots"},
      {"points", "your own natural coordinates: points"},
      {"vectors", "your own natural coordinates: vectors"},
      {"bodies", "the bodies of the mechanism"},
      {"joints", "the joints between them"},
      {"coordinates", "of a Lagrangian model"},
      {"states", "first-order equations"},
      {"forces", "springs, dampers and other forces"},
      {"constraints", "expressions of quantities that are kept at zero"},
      {"couplings", "constraints between joint coordinates, such as gears"},
      {"nonholonomic", "expressions, linear in rates, that are kept at zero"},
      {"kinetic", "the kinetic energy of a Lagrangian model"},
      {"potential", "its potential energy"},
      {"dissipation", "its Rayleigh dissipation function"},
      {"generalized_forces", "forces on coordinates and other quantities"},
      {"initial", "values at the start"},
      {"outputs", "columns of the result"},
      {"servo", "outputs that must follow a reference"},
      {"signals", "named expressions of time and time laws; each may use those above it"},
      {"events", "what happens when an expression passes through zero"},
      {"tracking",
       "points, orientations and outputs that follow a signal, by forces that are chosen in every "
       "step"},
      {"positive", "expressions that are positive on the intended branch"},
      {"definitions", "named expressions of the motion"},
      {"drawing", "drawings of parts without bodies"},
      {"run", "settings of a run"}};
  return kSections;
}

}  // namespace koppel
