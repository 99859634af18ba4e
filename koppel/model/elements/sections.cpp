#include <koppel/model/elements/sections.hpp>

namespace koppel {

std::span<const SectionInfo> model_sections() {
  static constexpr SectionInfo kSections[] = {
      {"name", "a text"},
      {"description", "a text"},
      {"dimension", "`2` or `3`; 3 unless given. In planar models vectors have two components"},
      {"parameters", "names with numbers, or with expressions of other parameters, in any order"},
      {"tables", "functions of one variable, by points"},
      {"gravity", "the acceleration of gravity, a vector; none unless given"},
      {"inputs", "names of forces and torques that an actuator applies, with their limits"},
      {"include", "sub-assemblies from other files, and robots"},
      {"points", "natural coordinates of your own choice: points"},
      {"vectors", "the same: vectors"},
      {"bodies", "the bodies of the mechanism"},
      {"joints", "what joins them"},
      {"coordinates", "of a Lagrangian model"},
      {"states", "first-order equations"},
      {"forces", "springs, dampers and other forces"},
      {"constraints", "expressions of quantities that are kept zero"},
      {"couplings", "the same for the coordinates of joints"},
      {"nonholonomic", "expressions, linear in rates, that are kept zero"},
      {"kinetic", "the kinetic energy of a Lagrangian model"},
      {"potential", "its potential energy"},
      {"dissipation", "Rayleigh's dissipation function of it"},
      {"generalized_forces", "forces on coordinates and other quantities"},
      {"initial", "values at the start"},
      {"outputs", "columns of the result"},
      {"servo", "outputs that shall follow a reference"},
      {"signals", "expressions of time and time laws under a name; each may use those above it"},
      {"events", "what happens when an expression passes through zero"},
      {"tracking", "what follows a signal, by forces that are chosen in every step"},
      {"positive", "expressions that are positive on the branch that is meant"},
      {"definitions", "expressions of the motion under a name"},
      {"drawing", "pictures of what has no body"},
      {"run", "settings of a run"}};
  return kSections;
}

}  // namespace koppel
