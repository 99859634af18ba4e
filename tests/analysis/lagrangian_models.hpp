// Mechanisms given by their energies.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>

namespace koppel::testing {

// A coordinate with its rate.
struct Coordinate {
  Expr value, rate;
};

inline Coordinate add_coordinate(Model& model, const std::string& name, double start = 0,
                                 double start_rate = 0) {
  const int index = model.add_coordinate(name);
  const Quantity& q = model.quantities[static_cast<std::size_t>(index)];
  model.initial.push_back({q.value, start, false, {}});
  model.initial.push_back({q.rate, start_rate, false, {}});
  return {q.value, q.rate};
}

inline void add_generalised_force(Model& model, const std::string& name, Expr coordinate,
                                  Expr effort) {
  for (std::size_t i = 0; i < model.quantities.size(); ++i) {
    if (model.quantities[i].value == coordinate) {
      Force force;
      force.name = name;
      force.actions = {{static_cast<int>(i), effort}};
      model.add_force(std::move(force));
    }
  }
}

// A point mass on a rigid massless bar of 1 m, in x and y.
inline Model make_point_pendulum(double x0 = 0.6, double y0 = -0.8) {
  Model model;
  model.name = "pendulum";
  const auto [x, vx] = add_coordinate(model, "x", x0);
  const auto [y, vy] = add_coordinate(model, "y", y0);
  const Expr m = model.add_parameter("m", 2), g = model.add_parameter("g", 9.81);
  model.kinetic = 0.5 * m * (vx * vx + vy * vy);
  model.potential = m * g * y;
  model.constraints.push_back({"bar", x * x + y * y - 1, {}});
  return model;
}

// Andrews' squeezing mechanism with the data of the IVP test set [Mazzia & Magherini 2008].
inline Model make_andrews() {
  Model model;
  model.name = "andrews";
  const auto [be, be1] = add_coordinate(model, "beta", -0.0617138900142764496358948458001);
  const auto [th, th1] = add_coordinate(model, "theta", 0);
  const auto [ga, ga1] = add_coordinate(model, "gamma", 0.455279819163070380255912382449);
  const auto [ph, ph1] = add_coordinate(model, "phi", 0.222668390165885884674473185609);
  const auto [de, de1] = add_coordinate(model, "delta", 0.487364979543842550225598953530);
  const auto [om, om1] = add_coordinate(model, "omega", -0.222668390165885884674473185609);
  const auto [ep, ep1] = add_coordinate(model, "epsilon", 1.23054744454982119249735015568);
  const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
               m7 = .05498;
  const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
               I6 = 5.667e-7, I7 = 1.912e-5;
  const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
  const double d = .028, da = .0115, e = .02, ea = .01421, zf = .02, fa = .01421, rr = .007,
               ra = .00092, ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02, zt = .04,
               ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449;
  const double c0 = 4530, l0 = .07785, moment = .033;
  // ½ q̇ᵀ M q̇ with the entries of the test set; the quadratic velocity terms follow from it.
  const double ee = e - ea, zz = zf - fa;
  model.kinetic =
      0.5 * (m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(th) + da * da) + I1 + I2) * be1 *
          be1 +
      (m2 * (da * da - da * rr * cos(th)) + I2) * th1 * be1 +
      0.5 * (m2 * da * da + I2) * th1 * th1 + 0.5 * (m3 * (sa * sa + sb * sb) + I3) * ga1 * ga1 +
      0.5 * (m4 * ee * ee + I4) * ph1 * ph1 +
      (m4 * (ee * ee + zt * ee * sin(ph)) + I4) * de1 * ph1 +
      0.5 *
          (m4 * (zt * zt + 2 * zt * ee * sin(ph) + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5) *
          de1 * de1 +
      0.5 * (m6 * zz * zz + I6) * om1 * om1 + (m6 * (zz * zz - u * zz * sin(om)) + I6) * om1 * ep1 +
      0.5 * (m6 * (zz * zz - 2 * u * zz * sin(om) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7) *
          ep1 * ep1;
  const Expr xd = sd * cos(ga) + sc * sin(ga) + xb, yd = sd * sin(ga) - sc * cos(ga) + yb;
  const Expr length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
  model.potential = 0.5 * c0 * (length - l0) * (length - l0);
  add_generalised_force(model, "motor", be, moment);
  const Expr x = rr * cos(be) - d * cos(be + th), y = rr * sin(be) - d * sin(be + th);
  model.constraints = {{"g1", x - ss * sin(ga) - xb, {}},
                       {"g2", y + ss * cos(ga) - yb, {}},
                       {"g3", x - e * sin(ph + de) - zt * cos(de) - xa, {}},
                       {"g4", y + e * cos(ph + de) - zt * sin(de) - ya, {}},
                       {"g5", x - zf * cos(om + ep) - u * sin(ep) - xa, {}},
                       {"g6", y - zf * sin(om + ep) + u * cos(ep) - ya, {}}};
  return model;
}

// The car axle of the IVP test set: the right support moves.
inline Model make_car_axle() {
  Model model;
  model.name = "car axle";
  const auto [xl, xl1] = add_coordinate(model, "xl", 0, -0.5);
  const auto [yl, yl1] = add_coordinate(model, "yl", 0.5, 0);
  const auto [xr, xr1] = add_coordinate(model, "xr", 1, -0.5);
  const auto [yr, yr1] = add_coordinate(model, "yr", 0.5, 0);
  const double k = 5e-4, L = 1, L0 = 0.5;
  const Expr yb = 0.1 * sin(10 * model.time), xb = sqrt(L * L - yb * yb);
  const Expr Ll = sqrt(xl * xl + yl * yl);
  const Expr Lr = sqrt((xr - xb) * (xr - xb) + (yr - yb) * (yr - yb));
  model.kinetic = 0.5 * k * (xl1 * xl1 + yl1 * yl1 + xr1 * xr1 + yr1 * yr1);
  model.potential = 0.5 * (Ll - L0) * (Ll - L0) + 0.5 * (Lr - L0) * (Lr - L0) + k * (yl + yr);
  model.constraints = {{"support", xl * xb + yl * yb, {}},
                       {"axle", (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - L * L, {}}};
  return model;
}

// n masses in a row with springs between; a force on the first, the last shall follow t.
inline Model make_servo_chain(int n) {
  Model model;
  model.name = "chain";
  std::vector<Coordinate> x;
  for (int i = 0; i < n; ++i) x.push_back(add_coordinate(model, "x" + std::to_string(i + 1)));
  for (std::size_t i = 0; i < x.size(); ++i) {
    model.kinetic += 0.5 * (1 + 0.1 * static_cast<double>(i)) * x[i].rate * x[i].rate;
    if (i > 0) {
      const Expr stretch = x[i].value - x[i - 1].value;
      model.potential += 0.5 * 3.0 * stretch * stretch;
    }
  }
  add_generalised_force(model, "drive", x[0].value, model.add_input("F"));
  const Expr t = model.time;
  model.servos.push_back({"last", x.back().value, t * t * t, {}});
  return model;
}

// The planar overhead crane [Blajer & Kolodziejczyk 2004]: trolley s, winch β, load (x, z), z down.
inline Model make_overhead_crane(bool with_servo = true) {
  Model model;
  model.name = "overhead crane";
  const auto [s, s1] = add_coordinate(model, "s");
  const auto [b, b1] = add_coordinate(model, "beta", 40);
  const auto [x, x1] = add_coordinate(model, "x");
  const auto [z, z1] = add_coordinate(model, "z", 4);
  const double mt = 10, m = 100, J = 0.1, r = 0.1, g = 9.81;
  model.kinetic = 0.5 * (mt * s1 * s1 + J * b1 * b1 + m * (x1 * x1 + z1 * z1));
  model.potential = -(m * g) * z;
  model.constraints.push_back({"rope", (x - s) * (x - s) + z * z - r * r * b * b, {}});
  if (with_servo) {
    add_generalised_force(model, "trolley", s, model.add_input("F"));
    add_generalised_force(model, "winch", b, model.add_input("Mn"));
    const Expr t = model.time;
    model.servos.push_back({"load.x", x, t * t * t * t * t, {}});
    model.servos.push_back({"load.z", z, 4 + t * t * t * t * t, {}});
  }
  return model;
}

// A mass that slides on a car along a line inclined by `angle`, on a spring and a damper; the force
// on the car shall make the mass follow a path [Seifried & Blajer 2013].
inline Model make_mass_on_car(double angle, double damping) {
  Model model;
  model.name = "mass on car";
  const auto [x, x1] = add_coordinate(model, "x");
  const auto [s, s1] = add_coordinate(model, "s");
  const double m1 = 1, m2 = 2, k = 5, c = std::cos(angle);
  model.kinetic = 0.5 * (m1 + m2) * x1 * x1 + m2 * c * x1 * s1 + 0.5 * m2 * s1 * s1;
  model.potential = 0.5 * k * s * s;
  model.dissipation = 0.5 * damping * s1 * s1;
  add_generalised_force(model, "drive", x, model.add_input("F"));
  model.servos.push_back({"mass", x + c * s, model.time * model.time, {}});
  return model;
}

}  // namespace koppel::testing
