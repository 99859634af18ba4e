#include <koppel/control/inverse.hpp>

#include <koppel/control/inverse_run.hpp>

namespace koppel {

Inverse inverse(const Model& model, const InverseOptions& options,
                const SimulateCallbacks& callbacks) {
  options.validate();
  return InverseRun(model, options, callbacks).go();
}

}  // namespace koppel
