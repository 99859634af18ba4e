// Singular poses, at the start and on the way, beside their motion in closed form; and mechanisms
// that have no motion at all.
#include <fmt/format.h>

#include "tests/outcomes/mechanism.hpp"
#include "tests/outcomes/sketch.hpp"

namespace koppel::testing {
namespace {

void set_exactly(Sketch& sketch, const std::string& what, double value) {
  sketch.initial(fmt::format("\"{}\": {{value: {}, fixed: true}}", what, number(value)));
}

// Uniform rods of lengths a (cranks) and d (coupler and base) between A = (0, 0), B, C and
// D = (d, 0), the first crank at the angle φ, the second at ψ:
//   2T = m₁a²φ'²/3 + m₂a²ψ'²/3 + m_c (ṙ_B² + ṙ_B·ṙ_C + ṙ_C²)/3                       (1)
//    V = g (m₁ y_B + m₂ y_C + m_c (y_B + y_C))/2                                      (2)
// The loop |r_C − r_B| = d has two branches, which meet where φ = 0 or π:
//   ψ = φ,   and   tan(ψ/2) = −(d + a)/(d − a) tan(φ/2).                              (3)
struct Parallelogram {
  double a, d, m1 = 1, m2 = 1.5, mc = 2;
  double phi, rate;
  bool is_crossed;

  double ratio() const { return is_crossed ? -(d + a) / (d - a) : 1; }
  double psi() const { return 2 * std::atan(ratio() * std::tan(phi / 2)); }
  // From (3): ψ' cos²(φ/2) = k cos²(ψ/2) φ'.
  double psi_rate() const {
    const double p = std::cos(psi() / 2) / std::cos(phi / 2);
    return ratio() * p * p * rate;
  }
};

std::string text_of_branch(const Parallelogram& p, const std::string& name) {
  const std::string psi =
      p.is_crossed ? fmt::format("2*atan({}*tan(phi/2))", number(p.ratio())) : "phi";
  const std::string psi_rate =
      p.is_crossed
          ? fmt::format("({0}*phi'/(cos(phi/2)^2*(1 + ({0}*tan(phi/2))^2)))", number(p.ratio()))
          : "phi'";
  std::string out =
      fmt::format("name: {} in closed form\ncoordinates: {{phi: {{start: {}, rate: {}}}}}\n", name,
                  number(p.phi), number(p.rate));
  const std::string& vc = psi_rate;
  // ṙ_B·ṙ_C = a² φ' ψ' cos(φ − ψ).
  out += fmt::format(
      "kinetic: {}*phi'^2/6 + {}*{}^2/6 + {}*(phi'^2 + phi'*{}*cos(phi - {}) + {}^2)/6\n",
      number(p.m1 * p.a * p.a), number(p.m2 * p.a * p.a), vc, number(p.mc * p.a * p.a), vc, psi,
      vc);
  out += fmt::format("potential: 9.81*({}*sin(phi) + {}*sin({}))/2\n", number((p.m1 + p.mc) * p.a),
                     number((p.m2 + p.mc) * p.a), psi);
  out += fmt::format(
      "outputs: {{bx: \"{0}*cos(phi)\", by: \"{0}*sin(phi)\", cx: \"{1} + {0}*cos({2})\", cy: "
      "\"{0}*sin({2})\"}}\n",
      number(p.a), number(p.d), psi);
  return out;
}

// With uniform rods in the plane, or the same of spatial bodies with parallel hinges.
std::string text_of_linkage(const Parallelogram& p, const std::string& name, bool is_planar,
                            bool has_rates) {
  Sketch sketch(name, is_planar);
  const Vec A{}, D{p.d, 0, 0};
  const Vec B{p.a * std::cos(p.phi), p.a * std::sin(p.phi), 0};
  const Vec C = D + Vec{p.a * std::cos(p.psi()), p.a * std::sin(p.psi()), 0};
  const auto link = [&](const char* what, const Vec& from, const Vec& to, double mass) {
    SketchBody body = planar_rod(what, from, to, mass);
    if (!is_planar) {
      const double across = body.inertia[0];
      body.inertia = {across / 10, across, across};
    }
    return sketch.add(body);
  };
  const int crank = link("crank", A, B, p.m1), coupler = link("coupler", B, C, p.mc),
            rocker = link("rocker", D, C, p.m2);
  const Vec axis = is_planar ? Vec{} : Vec{0, 0, 1};
  const std::string first = sketch.join("revolute", 0, crank, A, axis);
  sketch.join("revolute", crank, coupler, B, axis);
  sketch.join("revolute", coupler, rocker, C, axis);
  const std::string last = sketch.join("revolute", 0, rocker, D, axis);
  if (has_rates) {
    set_exactly(sketch, first + ".angle'", p.rate);
    set_exactly(sketch, last + ".angle'", p.psi_rate());
  }
  sketch.gravity({0, -9.81, 0});
  return sketch.text() +
         "outputs: {bx: crank.E.x, by: crank.E.y, cx: rocker.E.x, cy: rocker.E.y}\n";
}

// A crank and a rod of the same length l, the slider on the x axis. Where the crank stands upright
// the slider is at its pivot and may stay there. On the branch on which it does not, the rod
// mirrors the crank: x = 2 l cos φ, and with a slider of mass m
//   2T = m₁l²φ'²/3 + m_r (l²/12 φ'² + ṙ²) + m (2 l sin φ φ')²,  r = (3/2 l cos φ, l/2 sin φ).   (4)
struct MirrorCrank {
  double l = 0.5, m1 = 1, mr = 1.5, m = 0.8;
  double phi, rate;
};

std::string text_of_branch(const MirrorCrank& c, const std::string& name) {
  std::string out =
      fmt::format("name: {} in closed form\ncoordinates: {{phi: {{start: {}, rate: {}}}}}\n", name,
                  number(c.phi), number(c.rate));
  out += fmt::format(
      "kinetic: phi'^2*({}/6 + {}/2*(1/12 + 9/4*sin(phi)^2 + cos(phi)^2/4) + {}*2*sin(phi)^2)\n",
      number(c.m1 * c.l * c.l), number(c.mr * c.l * c.l), number(c.m * c.l * c.l));
  out += fmt::format("potential: 9.81*{}*sin(phi)\n", number((c.m1 + c.mr) * c.l / 2));
  out +=
      fmt::format("outputs: {{bx: \"{0}*cos(phi)\", by: \"{0}*sin(phi)\", cx: \"{1}*cos(phi)\"}}\n",
                  number(c.l), number(2 * c.l));
  return out;
}

std::string text_of_linkage(const MirrorCrank& c, const std::string& name) {
  Sketch sketch(name, true);
  const Vec A{}, B{c.l * std::cos(c.phi), c.l * std::sin(c.phi), 0}, C{2 * B.x, 0, 0};
  const int crank = sketch.add(planar_rod("crank", A, B, c.m1));
  const int rod = sketch.add(planar_rod("rod", B, C, c.mr));
  SketchBody slider;
  slider.name = "slider";
  slider.mass = c.m;
  slider.inertia = {0.01};
  slider.position = C;
  const int block = sketch.add(slider);
  set_exactly(sketch, sketch.join("revolute", 0, crank, A) + ".angle'", c.rate);
  sketch.join("revolute", crank, rod, B);
  sketch.join("revolute", rod, block, C);
  set_exactly(sketch, sketch.join("prismatic", 0, block, C, {1, 0, 0}) + ".position'",
              -2 * c.l * std::sin(c.phi) * c.rate);
  sketch.gravity({0, -9.81, 0});
  return sketch.text() + "outputs: {bx: rod.x, by: rod.y, cx: slider.x}\n";
}

}  // namespace

Mechanism make_singular_start(std::uint64_t i) {
  Dice dice(7000 + i);
  const std::string name = fmt::format("singular start {}", i);
  Mechanism out{name, "", 0.6};
  if (i % 5 == 3) {
    MirrorCrank c;
    // Upright, or on the way there.
    c.phi = i % 10 == 3 ? std::numbers::pi / 2 : 1.2;
    c.rate = i % 10 == 3 ? dice.uniform(-4, -2) : dice.uniform(5, 7);
    out.text = text_of_linkage(c, name);
    out.truth = text_of_branch(c, name);
    return out;
  }
  Parallelogram p;
  p.a = dice.uniform(0.4, 0.6);
  p.d = dice.uniform(1.0, 1.4);
  p.is_crossed = i % 2 == 1;
  p.rate = dice.uniform(4, 6) * (p.is_crossed ? 0.5 : 1);
  // On a line; nearly so; on the way there.
  p.phi = i % 5 == 4 ? -0.6 : i % 5 == 2 ? 1e-6 : 0;
  out.text = text_of_linkage(p, name, i % 5 != 1, true);
  out.truth = text_of_branch(p, name);
  return out;
}

Mechanism make_impossible(std::uint64_t i) {
  Dice dice(9000 + i);
  const std::string name = fmt::format("impossible {}", i);
  Mechanism out{name, "", 0.5};
  out.is_impossible = true;
  const double x = dice.uniform(1.4, 2), l = dice.uniform(0.4, 0.6);
  switch (i % 8) {
    case 0:  // pivots too far apart for the rods
      out.text = fmt::format(
          "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
          "  crank: {{mass: 1, com: [{0}, 0], inertia: 0.1, points: {{E: [{1}, 0]}}}}\n"
          "joints:\n  pivot: {{type: revolute, between: [ground, crank]}}\n"
          "  rod: {{type: distance, between: [{{ground: [{2}, 0]}}, crank.E], length: {1}}}\n",
          number(l / 2), number(l), number(x));
      break;
    case 1:  // a rod that must not turn and has to: one link between two pivots too far apart
      out.text = fmt::format(
          "dimension: 2\nbodies:\n  rod: {{mass: 1, inertia: 0.1, points: {{E: [1, 0]}}}}\n"
          "joints:\n  left: {{type: revolute, between: [ground, rod]}}\n"
          "  right: {{type: revolute, between: [{{ground: [{}, 0]}}, rod.E]}}\n",
          number(x));
      break;
    case 2:  // a part without mass that hangs freely
      out.text = fmt::format(
          "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
          "  arm: {{mass: 1, com: [{0}, 0], inertia: 0.1, points: {{E: [{1}, 0]}}}}\n"
          "  flag: {{mass: 0, inertia: 0, position: [{1}, 0]}}\n"
          "joints:\n  a: {{type: revolute, between: [ground, arm]}}\n"
          "  b: {{type: revolute, between: [arm.E, flag]}}\n"
          "initial: {{\"b.angle'\": 1}}\n",
          number(l / 2), number(l));
      break;
    case 3:  // a thin rod may turn about itself in its ball joint, without inertia
      out.text = fmt::format(
          "gravity: [0, 0, -9.81]\nbodies:\n"
          "  rod: {{mass: 1, com: [{0}, 0, 0], inertia: [0, 0.1, 0.1]}}\n"
          "joints:\n  ball: {{type: spherical, between: [ground, rod]}}\n"
          "initial: {{rod.wx: 2, rod.wy: 1}}\n",
          number(l));
      break;
    case 4:  // two drives of one freedom that contradict each other
      out.text = fmt::format(
          "dimension: 2\nbodies:\n  a: {{mass: 1, inertia: 0.1}}\n"
          "  b: {{mass: 1, inertia: 0.1, position: [1, 0]}}\n"
          "joints:\n  ja: {{type: revolute, between: [ground, a], drive: 0.5*t}}\n"
          "  jb: {{type: revolute, between: [{{ground: [1, 0]}}, b], drive: {}*t}}\n"
          "couplings: {{gear: ja.angle - jb.angle}}\n",
          number(x));
      break;
    case 5:  // a drive that tears the linkage on its way: the rod is too short for a whole turn
      out.text = fmt::format(
          "dimension: 2\nbodies:\n"
          "  crank: {{mass: 1, inertia: 0.1, points: {{E: [0.5, 0]}}}}\n"
          "  rod: {{mass: 1, com: [0.2, 0], inertia: 0.1, points: {{E: [0.4, 0]}}, position: [0.5, "
          "0]}}\n"
          "joints:\n  pivot: {{type: revolute, between: [ground, crank], drive: {}*t}}\n"
          "  knee: {{type: revolute, between: [crank.E, rod]}}\n"
          "  guide: {{type: point-on-line, between: [ground, rod.E], axis: [1, 0]}}\n",
          number(2 * x));
      break;
    case 6:  // a drive that jumps
      out.text = fmt::format(
          "dimension: 2\nbodies:\n  arm: {{mass: 1, com: [0.3, 0], inertia: 0.1}}\n"
          "joints:\n  pivot: {{type: revolute, between: [ground, arm], drive: \"select(t < 0.2, 0, "
          "{})\"}}\n",
          number(l));
      break;
    default: {  // at rest where two branches meet
      Parallelogram p;
      p.a = l;
      p.d = 1.2;
      p.is_crossed = false;
      p.phi = p.rate = 0;
      out.text = text_of_linkage(p, name, true, false);
    }
  }
  return out;
}

}  // namespace koppel::testing
