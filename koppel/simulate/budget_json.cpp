#include <cmath>
#include <nlohmann/json.hpp>

#include <koppel/simulate/budget.hpp>

namespace koppel {

std::string to_json(const Budget& b) {
  const OperationCounts& n = b.operations;
  nlohmann::ordered_json out = {{"model", b.model},
                                {"coordinates", b.coordinates},
                                {"formulation", b.formulation},
                                {"integrator", b.integrator},
                                {"step", b.step},
                                {"unknowns", b.num_unknowns},
                                {"factorizations", b.num_factorizations},
                                {"stiff", b.stiff},
                                {"operations_of_all", b.operations_of_all},
                                {"operations",
                                 {{"total", n.total()},
                                  {"sums", n.additions},
                                  {"products", n.products},
                                  {"quotients", n.quotients},
                                  {"roots", n.roots},
                                  {"functions", n.functions},
                                  {"others", n.others}}},
                                {"estimated_seconds", b.estimated_seconds},
                                {"measured_seconds", b.measured_seconds},
                                {"load", b.load},
                                {"growth", b.growth},
                                {"unstable", nullptr},
                                {"drift", nullptr},
                                {"pivot_error", b.pivot_error},
                                {"warnings", b.warnings}};
  for (const StableStep& stable : b.stable) {
    out["stable"][stable.method] = nullptr;
    if (stable.largest_step) out["stable"][stable.method] = *stable.largest_step;
    if (stable.is_refuted) out["unstable"] = stable.method;
  }
  const MethodTrial& trial = b.trial;
  out["trial"] = {{"end", trial.end},
                  {"reached", trial.reached},
                  {"state", name_of(trial.status)},
                  {"text", trial.text},
                  {"position_violation", trial.position_violation},
                  {"velocity_violation", trial.velocity_violation},
                  {"energy_error", trial.energy_error},
                  {"error", nullptr}};
  if (trial.error) out["trial"]["error"] = *trial.error;
  if (b.drift) {
    out["drift"] = {{"C0", b.drift->C0},
                    {"C1", b.drift->C1},
                    {"C2", b.drift->C2},
                    {"holds", b.drift->holds(b.step)},
                    {"limit", nullptr}};
    if (b.drift->holds(b.step)) out["drift"]["limit"] = b.drift->limit(b.step);
  }
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace koppel
