// A simple tyre: a thin elastic disc on a fixed plane through p with the unit normal n.
//
// The wheel has the centre c, the spin axis a (a unit vector) and the unloaded radius r. With the
// direction ν of the spoke that points up and the deflection δ of its rim,
//   ν = (n − (n·a) a) / √(1 − (n·a)²)                                                       (1)
//   δ = r n·ν − n·(c − p),    δ̇ = −n·(ċ − r ω × ν)                                          (2)
// (2) holds because ν turns as the wheel does but for a spin, which leaves n·ν alone. The load is
// that of a linear spring and damper on a deflection that goes smoothly to zero in the air,
//   δ₊ = ½ (δ + √(δ² + ε²)),    s = dδ₊/dδ = δ₊/√(δ² + ε²)                                  (3)
//   N = s (k δ₊ + d s δ̇),    stored ½ k δ₊²                                                 (4)
// so that N = k δ + d δ̇ but for terms of ε⁴/δ⁴ in contact, and vanishes as ε⁴/|δ|³ above.
// The contact point c + ρ is in the plane, below the lowest point of the rim:
//   ρ = δ n − r ν                                                                           (5)
// A force N n there has the power −N δ̇. Along τ = a × n/|a × n| (forward) and σ = n × τ (sideways)
// the tyre resists slip, the velocity of the material in contact over that of travel,
//   ζ = −(C_τ τ·(ċ + ω × ρ), C_σ σ·(ċ + ω × ρ)) / √((τ·ċ)² + v₀²)                           (6)
//   F = μ N₀ ζ / √(μ² + ζ·ζ),    N₀ = s k δ₊                                                (7)
// linear for small slip, with slip stiffness C times load, and of size μ N₀ at most. N₀ leaves the
// damper out, so that friction never pushes. v₀ keeps (6) finite for a wheel at rest, which creeps.
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_tyre(const Element& element, const std::string& what, Force& force) {
  const Node& node = *element.value;
  check_keys(node, what,
             {"type", "on", "axis", "radius", "stiffness", "damping", "friction", "slip_stiffness",
              "velocity", "normal", "at", "stiff"});
  const Node* on = node.find("on");
  const Node* radius = node.find("radius");
  const Node* stiffness = node.find("stiffness");
  const Node* friction = node.find("friction");
  const Node* slip_stiffness = node.find("slip_stiffness");
  if (on == nullptr || radius == nullptr || stiffness == nullptr || friction == nullptr ||
      slip_stiffness == nullptr) {
    report(element.offset, "model.missing-key",
           what + " needs on, radius, stiffness, friction and slip_stiffness.",
           "In space its axis too; damping, velocity, normal and at may be given.");
    return;
  }
  if (!model_.is_planar && node.find("axis") == nullptr) {
    report(element.offset, "model.missing-axis", what + " has no axis.",
           "Give axis: the direction that the wheel turns about, in its own frame.");
    return;
  }
  const auto positive = [&](const Node& value, const char* key, bool or_zero) {
    const Number x = number(value, key + (" of " + what));
    if (!(x.value > 0) && !(or_zero && x.value == 0)) {
      report(value.offset, "model.bad-value",
             key + (" of " + what) + (or_zero ? " must not be negative." : " must be positive."));
    }
    return x.e;
  };
  const std::size_t before = mistakes_.size();
  const Expr k = positive(*stiffness, "stiffness", false);
  Expr d = 0, v0 = 0.1;
  if (const Node* n = node.find("damping")) d = positive(*n, "damping", true);
  if (const Node* n = node.find("velocity")) v0 = positive(*n, "velocity", false);
  const Expr mu = expression(*friction, "friction of " + what, Allow::Everything);
  if (is_constant(mu)) positive(*friction, "friction", false);
  Expr C_tau, C_sigma;
  if (slip_stiffness->is_sequence() && slip_stiffness->items.size() == 2 && !model_.is_planar) {
    C_tau = positive(slip_stiffness->items[0], "slip_stiffness", true);
    C_sigma = positive(slip_stiffness->items[1], "slip_stiffness", true);
  } else if (slip_stiffness->is_scalar()) {
    C_tau = C_sigma = positive(*slip_stiffness, "slip_stiffness", true);
  } else {
    report(slip_stiffness->offset, "model.wrong-dimension",
           "slip_stiffness of " + what + " must be a number" +
               (model_.is_planar ? "." : ", or two: [forward, sideways]."));
  }
  const std::optional<Wheel> wheel = read_wheel(element, *on, *radius, what);
  if (!wheel || mistakes_.size() > before) return;

  const Observed omega = world_angular_velocity(element.full_name + ".omega", wheel->centre.body);
  const Vec3e &c = wheel->c.value, &c_rate = wheel->c.rate, &a = *wheel->axis;
  const Vec3e &n = wheel->plane.axes.column[2], &p = wheel->plane.point;
  const Expr r = wheel->radius.e, eps = r / 1000, lean = dot(n, a);
  const Expr upright = sqrt(1 - lean * lean);      // n·ν
  const Vec3e nu = 1 / upright * (n - lean * a);   // Eq. (1)
  const Expr delta = r * upright - dot(n, c - p);  // Eq. (2)
  const Expr delta_rate = -dot(n, c_rate - r * cross(omega.rate, nu));
  const Expr root = sqrt(delta * delta + eps * eps);
  const Expr smooth = 0.5 * (delta + root), s = smooth / root;  // Eq. (3)
  const Expr elastic = s * k * smooth;
  const Expr load = elastic + d * s * s * delta_rate;  // Eq. (4)
  const Vec3e rho = delta * n - r * nu;                // Eq. (5)
  const Vec3e tau = 1 / upright * cross(a, n), sigma = cross(n, tau);
  const Expr travel = dot(tau, c_rate);
  const Vec3e slide = 1 / sqrt(travel * travel + v0 * v0) * (c_rate + cross(omega.rate, rho));
  const Expr forward = -C_tau * dot(tau, slide);  // Eq. (6)
  const Expr sideways = model_.is_planar ? Expr(0) : -C_sigma * dot(sigma, slide);
  const Expr grip =
      mu * elastic / sqrt(mu * mu + forward * forward + sideways * sideways);  // Eq. (7)
  const Vec3e F = load * n + grip * (forward * tau + sideways * sigma);
  const Vec3e torque = cross(rho, F);
  for (std::size_t i = 0; i < (model_.is_planar ? 2U : 3U); ++i)
    force.actions.push_back({wheel->c.quantity[i], F[i]});
  for (std::size_t i = model_.is_planar ? 2 : 0; i < 3; ++i)
    force.actions.push_back({omega.quantity[i], torque[i]});
  force.potential = k * smooth * smooth / 2;
}

}  // namespace koppel::yaml
