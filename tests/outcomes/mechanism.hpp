// Mechanisms whose runs are judged, as texts of model files; the random ones have fixed seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace koppel::testing {

struct Mechanism {
  std::string name;  // with the kind in front: "planar tree 7"
  std::string text;  // YAML
  double end = 1;    // s
  // The same motion stated otherwise: in closed form, or from values that need no assembly. Its
  // outputs are compared with those of the same names. Empty: none, runs are the only reference.
  std::string truth = {};
  bool is_impossible = false;  // no run of it can be right: each has to be refused
};

// Kinds of random mechanisms; each number gives the same mechanism on every machine.
Mechanism make_planar_tree(std::uint64_t number);
Mechanism make_spatial_tree(std::uint64_t number);
Mechanism make_planar_loop(std::uint64_t number);
Mechanism make_spatial_loop(std::uint64_t number);
Mechanism make_driven(std::uint64_t number);
Mechanism make_degenerate(std::uint64_t number);      // flat bodies, rods and point masses
Mechanism make_singular_start(std::uint64_t number);  // rods on a line, dead centres
Mechanism make_rough_start(std::uint64_t number);     // placed only roughly
Mechanism make_impossible(std::uint64_t number);      // loops that cannot close, massless parts

// 200 mechanisms of all kinds.
std::vector<Mechanism> make_random_mechanisms();

}  // namespace koppel::testing
