// Rows of constraints as a projection needs them.
#pragma once

#include <span>

#include <koppel/equations/equations.hpp>
#include <koppel/problem/projector.hpp>

namespace koppel {

// `p` and `u` are the values of parameters and inputs. Rows that were left out are watched only.
ProjectorTerms make_projector_terms(const Equations& equations, std::span<const double> p,
                                    std::span<const double> u);

}  // namespace koppel
