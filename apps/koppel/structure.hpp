// koppel check --structure: the signature matrix of the equations, their offsets, and which initial
// values they need.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/structure/regularity.hpp>

namespace koppel::app {

// Of the motion with given inputs, or of the servo problem.
struct StructureFindings {
  bool is_servo = false;
  Dae dae;
  Structure structure;
  std::optional<Regularity> regularity;  // none: the start is singular, or the structure is
  IndexReport index;
  std::size_t num_invariants = 0;
};

std::vector<StructureFindings> find_structure(const Shared<Equations>& equations,
                                              const Examination& found);

void print(const std::vector<StructureFindings>& all);
void add_to_json(const std::vector<StructureFindings>& all, nlohmann::json& out);

}  // namespace koppel::app
