// A step of an integration as a map from the state before it to the state after it,
//
//   y₁ = Ψ(t, h, y₀, p),                                                                     (1)
//
// with its exact derivatives: forward, (δy₀, δp) ↦ δy₁ = Ψ_y δy₀ + Ψ_p δp, and backward, weights
// w of y₁ ↦ Ψ_yᵀw and Ψ_pᵀw. p are parameters, then inputs. How long the step is counts as given,
// but for fixed-cost steps beside events, whose time they depend on.
#pragma once

#include <cassert>
#include <memory>
#include <span>
#include <vector>

#include <koppel/base/lazy.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/problem/projector.hpp>
#include <koppel/problem/series_system.hpp>
#include <koppel/study/solved_function.hpp>

namespace koppel {

class StepMap {
 public:
  virtual ~StepMap() = default;

  virtual std::size_t size() const = 0;       // of y
  virtual std::size_t num_given() const = 0;  // of p

  struct At {
    double t = 0, h = 0;
    std::span<const double> y0, y1, given;
    std::span<const double> expansion = {};  // numbers of it, where they were kept; else empty
  };
  // What one thread works with.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // y ← Ψ; false where there is no such step.
  virtual bool advance(double t, double h, std::span<double> y, std::span<const double> given,
                       Workspace& work) const = 0;
  // ẏ; false where there are none, or steps are not made of them.
  virtual bool rates(double t, std::span<const double> y, std::span<const double> given,
                     std::span<double> y_rate, Workspace& work) const = 0;
  // Puts the workspace at a step whose ends are known; false where that is impossible.
  virtual bool stand_at(const At& at, Workspace& work) const = 0;
  // There: δy ← Ψ_y δy + Ψ_p δp.
  virtual void tangent(std::span<double> dy, std::span<const double> dgiven,
                       Workspace& work) const = 0;
  // There: w ← Ψ_yᵀw, w_given += Ψ_pᵀw. False where that is impossible.
  virtual bool adjoint(std::span<double> w, std::span<double> w_given, Workspace& work) const = 0;
  // There: Ψ_t and Ψ_h. Only of maps that were made with them; none where the step is so short that
  // its end moves as the motion does.
  struct ByTimes {
    std::vector<double> t, h;
  };
  virtual ByTimes by_times(Workspace& /*work*/) const {
    assert(false);
    return {};
  }
};

// `dop853` or `rk4`, with projection onto the constraints at the end of the step. The derivative of
// the projection is that at a point of the constraints: what it neglects is the error of the step.
std::unique_ptr<StepMap> make_explicit_map(const RightHandSideTerms& rates,
                                           const ProjectorTerms& projection,
                                           const Integrator& integrator,
                                           CompileOptions options = {});

// Steps as the flow of the equations, for integrators whose own steps are exact to a tolerance: the
// step is divided into steps of `dop853` until what comes out is that of the flow, to a hundredth
// of the tolerance or to round-off.
std::unique_ptr<StepMap> make_flow_map(const RightHandSideTerms& rates,
                                       const ProjectorTerms& projection, double tolerance,
                                       CompileOptions options = {});

// Steps of `taylor`: a series of this order. Where it does not begin with y, as with coordinates
// without mass, the flow of the equations.
std::unique_ptr<StepMap> make_series_map(const Lazy<SeriesSystem>& system, int order,
                                         const RightHandSideTerms& rates,
                                         const ProjectorTerms& projection, double tolerance,
                                         CompileOptions options = {});

// Fixed-cost steps of some length, of all their rules: (q, v, x, λ). `has_events`: they have
// derivatives by times. Steps that an event leaves of less than a millionth of that length change
// nothing: reactions, and what follows from them, have round-off over the length of a step in them.
std::unique_ptr<StepMap> make_fixed_cost_map(const FixedCostTerms& terms, std::size_t num_u,
                                             double step, bool has_events,
                                             CompileOptions options = {});

}  // namespace koppel
