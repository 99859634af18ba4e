// A mechanism in one HTML file that runs it by itself, offline: the viewer's page with the step as
// a WebAssembly module, the scene, and what can be set and seen. The workbench sends the same data.
#pragma once

#include <string>
#include <vector>

#include <koppel/export/step_model.hpp>
#include <koppel/export/unheld_step.hpp>

namespace koppel {

struct MechanismPage {
  std::string data;    // JSON, safe inside a <script>; viewer/src/mechanism.ts
  std::string module;  // WebAssembly
};

// What a page takes steps with.
struct PageStep {
  StepModel step;                         // with hands, where it can have some
  std::optional<UnheldStep> unheld = {};  // while they hold nothing

  int num_hands() const;
  std::string method() const;  // in a line
};

// To the outputs energies, the violation of constraints, the forces of springs, tyres and the like
// and, if wanted, the reactions of joints that have multipliers are added. `step` is of the model.
// Throws Error `export.has-events`.
MechanismPage make_mechanism_page(const Model& model, const PageStep& step,
                                  bool with_reactions = false);

// The step of a model with hands (model/grip.hpp), where it can have some: the integrator is open,
// and linear-implicit, which knows hands, holds or at worst damps. Else the step of the model as it
// is; throws as make_step_model does. Methods are tried on the first second. Where neither the
// options nor the model name a step it is a millisecond or, if nothing holds then, shorter.
PageStep make_step_for_page(const Model& model, SimulateOptions options, const std::string& name,
                            const std::vector<ParameterOrigin>& origins, int num_hands = 2);

std::string to_html(const MechanismPage& page);

}  // namespace koppel
