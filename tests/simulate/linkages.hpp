// The linkages of tests/simulate/linkages as functions of one angle, by their names (of the files).
#pragma once

#include <map>
#include <numbers>

#include "tests/simulate/reduced_motion.hpp"

namespace koppel::testing {

inline constexpr double kDegree = std::numbers::pi / 180;

// Rods `a` about A and D, ground and coupler `b`: all of them turn by the same angle.
inline std::vector<Rod> parallelogram(Jet s, double b) {
  const Place B = polar(1, s), C = B + at(b, 0);
  return {{at(0, 0), B}, {B, C}, {at(b, 0), C}};
}

// The end C of the other short rod of a crossed parallelogram with short rods 1 and long rods b,
// whose first short rod has the angle s: tan(ψ/2) = −k tan(s/2), k = (b + 1)/(b − 1).
inline Place crossed(Jet s, double b) {
  const double k = (b + 1) / (b - 1);
  const Jet c = cos(0.5 * s), z = k * sin(0.5 * s), n = c * c + z * z;
  return at(b + (c * c - z * z) / n, -2 * c * z / n);
}

// P at the distance OP from O on a circle through O with centre (r, 0): its angle.
inline Jet angle_on_circle(Jet OP, double r) {
  const double c = OP.f / (2 * r), z = std::sqrt(1 - c * c);
  return chain(0.5 / r * OP, std::acos(c), -1 / z, -c / (z * z * z));
}
inline Jet arc_sine(Jet x) {
  const double z = std::sqrt(1 - x.f * x.f);
  return chain(x, std::asin(x.f), 1 / z, x.f / (z * z * z));
}

// s: the angle of the rhombus' sides against its diagonal through O.
inline std::vector<Rod> peaucellier(Jet s) {
  const Jet alpha = arc_sine(1.0 / 3 * sin(s)), OP = 3 * cos(alpha) - cos(s),
            OQ = 3 * cos(alpha) + cos(s), theta = angle_on_circle(OP, 2.5);
  const Place O = at(0, 0), P = polar(OP, theta), Q = polar(OQ, theta), U = polar(3, theta + alpha),
              V = polar(3, theta - alpha);
  return {{O, U}, {O, V}, {U, P}, {V, P}, {U, Q}, {V, Q}, {at(2.5, 0), P}};
}

// The corners of a crossed parallelogram are those of a trapezoid with diagonals 3 and legs 1.5;
// s: the angle of the legs against the parallel sides x, y.
inline std::vector<Rod> hart(Jet s) {
  const double m = 0.4, r = 1.2;
  const Jet alpha = arc_sine(0.5 * sin(s)), x = 3 * cos(alpha) - 1.5 * cos(s),
            y = 3 * cos(alpha) + 1.5 * cos(s), h = 1.5 * sin(s), theta = angle_on_circle(m * y, r);
  const Jet O = 0.5 * (m * (x + y) - x);
  const auto place = [&](Jet along, Jet up) {  // from O; P lies in the direction theta
    along = along - O;
    up = up - m * h;
    return at(up * sin(theta) - along * cos(theta), -along * sin(theta) - up * cos(theta));
  };
  const Place A = place(-0.5 * x, 0), B = place(0.5 * y, h), C = place(0.5 * x, 0),
              D = place(-0.5 * y, h), P = place(O - m * y, m * h);
  return {{A, B}, {C, D}, {A, D}, {C, B}, {at(r, 0), P}};
}

inline std::map<std::string, Linkage> linkages() {
  std::map<std::string, Linkage> all;
  const std::vector<Linkage::Output> four_bar = {
      {"xB", 0, 0}, {"yB", 0, 1}, {"xC", 2, 0}, {"yC", 2, 1}};
  all["parallelogram"] = {[](Jet s) { return parallelogram(s, 2); }, 60 * kDegree, 0, four_bar};
  all["rhombus"] = {[](Jet s) { return parallelogram(s, 1); }, 60 * kDegree, 0, four_bar};
  all["antiparallelogram"] = {[](Jet s) {
                                const Place B = polar(1, s), C = crossed(s, 2);
                                return std::vector<Rod>{{at(0, 0), B}, {B, C}, {at(2, 0), C, 3}};
                              },
                              60 * kDegree, 6, four_bar};
  all["kite"] = {[](Jet s) {
                   const Place B = polar(1, 2 * s),
                               C = polar(cos(s) + sqrt(4 - sin(s) * sin(s)), s);
                   return std::vector<Rod>{{at(0, 0), B}, {B, C}, {at(1, 0), C}};
                 },
                 30 * kDegree, 1, four_bar};
  all["peaucellier"] = {
      peaucellier,
      40 * kDegree,
      3,
      {{"xP", 6, 0}, {"yP", 6, 1}, {"xQ", 4, 0}, {"yQ", 4, 1}, {"xU", 0, 0}, {"yU", 0, 1}}};
  all["hart"] = {
      hart,
      70 * kDegree,
      4,
      {{"xP", 4, 0}, {"yP", 4, 1}, {"xB", 0, 0}, {"yB", 0, 1}, {"xD", 1, 0}, {"yD", 1, 1}}};
  all["watt"] = {[](Jet s) {
                   std::vector<Rod> rods = parallelogram(s, 2);
                   const Place F = at(2, 0) + crossed(s, 2);
                   rods.push_back({rods[2].b, F});
                   rods.push_back({at(4, 0), F, 4});
                   return rods;
                 },
                 60 * kDegree, 6, four_bar};
  all["watt"].outputs.insert(all["watt"].outputs.end(), {{"xF", 4, 0}, {"yF", 4, 1}});
  all["stephenson"] = {[](Jet s) {
                         std::vector<Rod> rods = parallelogram(s, 2);
                         const Place M = polar(1, s) + at(1, 0), G = at(1, 0) + crossed(s, 3);
                         rods.push_back({M, G});
                         rods.push_back({at(4, 0), G, 4});
                         return rods;
                       },
                       60 * kDegree, 6, four_bar};
  all["stephenson"].outputs.insert(all["stephenson"].outputs.end(), {{"xG", 4, 0}, {"yG", 4, 1}});
  all["folding"] = {[](Jet s) {
                      const Place A = at(0, 0), B = at(-sin(s), -cos(s)), D = at(sin(s), -cos(s)),
                                  C = at(0, -2 * cos(s));
                      return std::vector<Rod>{{A, B}, {A, D}, {B, C}, {D, C}};
                    },
                    50 * kDegree,
                    0,
                    {{"xB", 0, 0}, {"yB", 0, 1}, {"xC", 2, 0}, {"yC", 2, 1}}};
  all["tongs"] = {[](Jet s) {
                    const Jet x = 2 * cos(s), y = 2 * sin(s);
                    std::vector<Rod> rods;
                    for (const double i : {0.0, 1.0}) {
                      rods.push_back({at(0, i * y), at(x, (i + 1) * y)});
                      rods.push_back({at(x, i * y), at(0, (i + 1) * y)});
                    }
                    return rods;
                  },
                  60 * kDegree,
                  0,
                  {{"x", 2, 0}, {"y", 2, 1}, {"xL", 3, 0}, {"yL", 3, 1}}};
  return all;
}

}  // namespace koppel::testing
