#include <koppel/model/elements/tyre.hpp>

#include <koppel/model/elements/force_fields.hpp>
#include <koppel/model/elements/wheel.hpp>

namespace koppel {

const std::vector<Field<Tyre>>& Tyre::fields() {
  static const std::vector<Field<Tyre>> kFields =
      std::vector<Field<Tyre>>{
          {{"on", "the wheel, or the point of it that is its centre"}, &Tyre::on},
          {{.key = "radius", .text = "radius without load", .unit = "m", .bound = Bound::Positive},
           &Tyre::radius},
          {{.key = "stiffness",
            .text = "load per deflection",
            .unit = "N/m",
            .bound = Bound::Positive},
           &Tyre::stiffness},
          {{"damping", "load per rate of deflection", "N s/m", "0", Allow::Parameters,
            Bound::NotNegative},
           &Tyre::damping},
          {{.key = "friction",
            .text = "largest slip force divided by the load",
            .allow = Allow::Everything,
            .bound = Bound::Positive},
           &Tyre::friction},
          {{"slip_stiffness",
            "slip force per load and slip, for small slip: `[forward, sideways]`, or one number "
            "for both"},
           &Tyre::slip_stiffness},
          {{"velocity",
            "below this travelling speed a wheel under force creeps instead of standing still",
            "m/s", "0.1", Allow::Parameters, Bound::Positive},
           &Tyre::velocity},
          stiff_field<Tyre>()} +
      plane_fields<Tyre>();
  return kFields;
}

void Tyre::add_to(ModelWriter& writer) const {
  const bool flat = writer.model.is_planar;
  if (!on || !radius || !stiffness || !friction || !slip_stiffness.is_given()) {
    return writer.reject_missing(
        " needs on, radius, stiffness, friction and slip_stiffness.",
        "In space its axis too; damping, velocity, normal and at may be given.");
  }
  if (!flat && !axis) {
    return writer.reject_missing(
        " has no axis.", "Give axis: the direction that the wheel turns about, in its own frame.",
        "model.missing-axis");
  }
  const std::vector<Expr>& slip = slip_stiffness.values;
  for (const Expr& C : slip) writer.check("slip_stiffness", C, Bound::NotNegative);
  if (slip_stiffness.is_list && (slip.size() != 2 || flat)) {
    writer.reject_key(
        "slip_stiffness", "model.wrong-dimension",
        std::string(" must be a number") + (flat ? "." : ", or two: [forward, sideways]."));
  }
  const std::optional<Wheel> wheel = put_on_plane(writer, "on", *on, *radius, axis, normal, at);
  if (!wheel || writer.is_rejected()) return;

  const Expr k = *stiffness, d = damping.value_or(0), mu = *friction;
  const Expr v0 = velocity.value_or(0.1), C_tau = slip.front(), C_sigma = slip.back();
  Force force{.is_stiff = stiff};
  const ObservedVector omega = writer.world_angular_velocity("omega", wheel->centre.body);
  const Vec3e &c = wheel->c.value, &c_rate = wheel->c.rate, &a = *wheel->axis;
  const Vec3e &n = wheel->plane.axes.column[2], &p = wheel->plane.point;
  const Expr r = wheel->radius, eps = r / 1000, lean = dot(n, a);
  // n·ν = |a × n|; that of a wheel that lies on its side is not 0 but next to it: ν has no
  // direction there.
  constexpr double kFlat = 1e-24;
  const Vec3e side = cross(a, n);
  const Expr upright = sqrt(dot(side, side) + kFlat);
  const Vec3e nu = 1 / upright * (n - lean * a);   // Eq. (1)
  const Expr delta = r * upright - dot(n, c - p);  // Eq. (2)
  const Expr delta_rate = -dot(n, c_rate - r * cross(omega.rate, nu));
  const Expr root = sqrt(delta * delta + eps * eps);
  const Expr smooth = 0.5 * (delta + root), s = smooth / root;  // Eq. (3)
  const Expr elastic = s * k * smooth;
  const Expr load = elastic + d * s * s * delta_rate;  // Eq. (4)
  const Vec3e rho = delta * n - r * nu;                // Eq. (5)
  const Vec3e tau = 1 / upright * side, sigma = cross(n, tau);
  const Expr travel = dot(tau, c_rate);
  const Vec3e slide = 1 / sqrt(travel * travel + v0 * v0) * (c_rate + cross(omega.rate, rho));
  const Expr forward = -C_tau * dot(tau, slide);  // Eq. (6)
  const Expr sideways = flat ? Expr(0) : -C_sigma * dot(sigma, slide);
  const Expr grip =
      mu * elastic / sqrt(mu * mu + forward * forward + sideways * sideways);  // Eq. (7)
  const Vec3e F = load * n + grip * (forward * tau + sideways * sigma);
  const Vec3e torque = cross(rho, F);
  for (std::size_t i = 0; i < (flat ? 2U : 3U); ++i)
    force.actions.push_back({wheel->c.quantity[i], F[i]});
  for (std::size_t i = flat ? 2 : 0; i < 3; ++i)
    force.actions.push_back({omega.quantity[i], torque[i]});
  force.potential = k * smooth * smooth / 2;
  writer.add_force(std::move(force));
}

}  // namespace koppel
