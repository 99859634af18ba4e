// Third outcomes that are known and not yet mended: docs/reliability.md explains them.
#pragma once

#include <span>
#include <string_view>

#include "tests/outcomes/judge.hpp"

namespace koppel::testing {

struct Known {
  std::string_view mechanism;
  std::string_view coordinates, integrator;  // empty: all
  std::string_view why;
};
std::span<const Known> known_outcomes();

// The entry that a wrong run of the mechanism is known by; null: none.
const Known* find_known(std::string_view mechanism, const Trial& trial);

}  // namespace koppel::testing
