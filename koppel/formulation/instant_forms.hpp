// The equations of motion at an instant, in the forms that integrators consume. For sources of this
// folder only.
#pragma once

#include <string>

#include <koppel/formulation/source.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

Residual make_residual(const Source& source, const FormulationInfo& info);
// A z = b for z = (v̇, λ, μ); for trees without constraints rates as they stand, by the recursion.
RightHandSideTerms make_rhs_terms(const Source& source, const FormulationInfo& info);
RightHandSide make_rhs(const Source& source, const FormulationInfo& info);
SeriesSystem make_series(const Source& source);

}  // namespace koppel
