// Export: a fixed-cost step of a mechanism as C99, without a file of a model in between.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  Mechanism m("swing", Plane::XY);
  m.gravity(0, -9.81);
  const Expr torque = m.input("torque");
  const RodHandle rod = m.add_rod("rod", {.mass = 1, .length = 1});
  const JointHandle pivot = m.add("pivot", Revolute{.between = {m.ground(), rod.start()}});
  m.add("motor", Effort{.on = pivot.angle(), .effort = torque});
  m.output("angle", pivot.angle());

  SimulateOptions options = options_of(m.model());
  options.step = 1e-3;
  const CFiles files = write_c(make_step_model(m.model(), options, "swing"));
  std::printf("a header of %s, a source of %s\n",
              files.header.size() > 500 ? "some size" : "no size",
              files.source.find("swing_step") != std::string::npos ? "swing_step" : "nothing");
}
