// A model in the language of MATLAB, for MATLAB and Octave: the terms of the descriptor form and
// their derivatives as functions, one a file, as a symbolic package writes them [Kurz, Burkhardt &
// Eberhard 2011], and a script that runs the model.
//
//   M v' = f - C' lambda,   q' = K v,   x' = r,   C = [G; a]
//   0 = g,   0 = G v + g_t,   0 = G v' + gamma;   0 = a v + b,   0 = a v' + alpha
//
//   NAME_M(t, q, v, x, u, p), _f, _K, _g, _g_t, _G, _gamma, _a, _b, _alpha, _h, _r
//   NAME_f_q, _f_v, _f_x, _f_u, _g_q, _h_q, _r_q, …                              Jacobians
//   NAME_M_q(…, w), NAME_G_q(…, w), NAME_a_q(…, w)     those of M w, G' w and a' w
//   NAME_outputs, NAME_parameters, NAME_start, NAME_rates, NAME_project, NAME_simulate, NAME_run
//
// Terms that a model does not have are empty. What is not made of expressions is
// koppel/export/octave/*.m.
#pragma once

#include <map>
#include <string>

#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

// Texts by the names of files. The formulation and the integrator of the options are not used:
// the script has its own. `name` is empty: from the model's. Throws Error `export.has-events`
// and what prepare() does.
std::map<std::string, std::string> write_octave(const Model& model, SimulateOptions options,
                                                std::string name = "");

}  // namespace koppel
