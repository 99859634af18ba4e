#include <problems/validation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <koppel/results/csv.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel::problems {
namespace {

SimulateOptions options_for(const Setting& setting, std::span<const double> times) {
  SimulateOptions options;
  options.end = times.back();
  options.coordinates = setting.coordinates;
  options.formulation = setting.formulation;
  options.integrator = setting.integrator;
  options.tolerance = setting.tolerance;
  options.sampling.times.assign(times.begin(), times.end());
  return options;
}

double largest(std::span<const double> values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

// max_t |y − r| over the rows that y has.
double largest_difference(std::span<const double> y, std::span<const double> r) {
  double size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) size = std::max(size, std::abs(y[i] - r[i]));
  return size;
}

double over_time(const Trajectory& y, const Trajectory& known) {
  double worst = 0;
  for (std::size_t c = 1; c < known.num_columns(); ++c) {
    const std::string& name = known.columns()[c].name;
    if (y.find(name) < 0) continue;
    const std::span<const double> r = known.column(c);
    worst = std::max(worst, largest_difference(y[name], r) / largest(r));
  }
  return worst;
}

double energy_change(const Simulation& s) {
  if (!s.summary.is_conservative) return std::numeric_limits<double>::quiet_NaN();
  const std::span<const double> energy = s.trajectory["energy"];
  double most = 0;
  for (const double e : energy) most = std::max(most, std::abs(e - energy[0]));
  return most;
}

Trajectory with_columns(std::span<const std::string> names) {
  std::vector<Column> columns = {{"t", "s", Group::Time}};
  for (const std::string& name : names) columns.push_back({name, "", Group::Outputs});
  return Trajectory(columns);
}

std::vector<double> equal_times(double end, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(end * i / (count - 1));
  return times;
}

}  // namespace

double digits(double error) {
  return -std::log10(std::max(error, std::numeric_limits<double>::epsilon() / 2));
}

Model read_mechanism(const std::string& name, const ReadOptions& options) {
  return read_model(KOPPEL_SOURCE "/models/" + name + ".yaml", options);
}

Trajectory known_motion(const std::string& name) {
  return read_csv(KOPPEL_SOURCE "/tests/reference/" + name + ".csv");
}

Comparison compare(const Model& model, const Setting& setting, const Trajectory& known,
                   std::span<const std::string> positions) {
  const Simulation s = simulate(model, options_for(setting, known.time()));
  Comparison out;
  out.is_done = s.status == Outcome::Status::Done;
  out.text = s.text;
  out.reached = s.summary.reached;
  out.steps = s.summary.steps;
  out.energy = energy_change(s);
  if (!out.is_done) return out;
  double sum = 0, size = 0;
  for (const std::string& name : positions) {
    const double r = known[name].back(), difference = s.trajectory[name].back() - r;
    out.end_by_column = std::max(out.end_by_column, std::abs(difference / r));
    sum += difference * difference;
    size += r * r;
  }
  out.end_as_vector = std::sqrt(sum / size);
  out.over_time = over_time(s.trajectory, known);
  return out;
}

// With φ the angle of the uprights to the x axis, all uprights parallel,
//   φ̈ = −c cos φ,   c = 3(3N + 1)/(2(4N + 1)) g,   φ(0) = π/2,   φ̇(0) = −1                (1)
// and φ = π/2 − 2w the first integral gives ẇ = ½ √(1 + 4c sin²w), hence
//   t = 2 F(w | −4c) = 2/√(1 + 4c) (K(μ) − F(π/2 − w | μ)),   μ = 4c/(1 + 4c)              (2)
// with the elliptic integral of the first kind F of parameter μ = k² [Abramowitz & Stegun 17.4.17].
// Newton's iteration on (2) gives w(t).
Trajectory four_bar_motion(int N, double end, int count) {
  using Real = long double;
  const Real c = 9.81L * 3 * (3 * N + 1) / (2 * (4 * N + 1));
  const Real k = std::sqrt(4 * c / (1 + 4 * c)), half_pi = std::numbers::pi_v<Real> / 2;
  const auto time_at = [&](Real w) {
    return 2 / std::sqrt(1 + 4 * c) * (std::comp_ellint_1(k) - std::ellint_1(k, half_pi - w));
  };
  const auto rate_at = [&](Real w) {
    const Real s = std::sin(w);
    return std::sqrt(1 + 4 * c * s * s) / 2;
  };
  const std::vector<std::string> names = {"xB0", "yB0", "vxB0", "vyB0"};
  Trajectory motion = with_columns(names);
  Real w = 0, last = 0;
  for (const double t : equal_times(end, count)) {
    w += rate_at(w) * (t - last);
    last = t;
    for (int i = 0; i < 50; ++i) {
      const Real change = (t - time_at(w)) * rate_at(w);
      w += change;
      if (std::abs(change) < 1e-16L) break;
    }
    const Real phi = half_pi - 2 * w, phi_rate = -2 * rate_at(w);
    const double row[] = {t, static_cast<double>(std::cos(phi)), static_cast<double>(std::sin(phi)),
                          static_cast<double>(-std::sin(phi) * phi_rate),
                          static_cast<double>(std::cos(phi) * phi_rate)};
    motion.append(row);
  }
  return motion;
}

Trajectory governor_motion() {
  const Trajectory angles = known_motion("flyball_governor");
  const std::vector<std::string> names = {"s", "sdot", "Bx", "By", "Bz"};
  Trajectory motion = with_columns(names);
  constexpr double kHinge = 0.05;  // from the axis
  for (std::size_t i = 0; i < angles.num_rows(); ++i) {
    const double alpha = angles["alpha"][i], psi = angles["psi"][i];
    const double radius = kHinge + std::cos(alpha);
    const double row[] = {angles.time()[i],       angles["s"][i],         angles["sdot"][i],
                          radius * std::cos(psi), radius * std::sin(psi), 1 - std::sin(alpha)};
    motion.append(row);
  }
  return motion;
}

Trajectory a03_motion() {
  const std::vector<std::string> names = {"Fx", "Fy"};
  Trajectory motion = with_columns(names);
  constexpr double kCrank = 0.007, kBeta = -0.0620;
  const double rows[][3] = {{0, kCrank * std::cos(kBeta), kCrank * std::sin(kBeta)},
                            {0.03, -6.970260781768039e-3, -6.445654614904544e-4},
                            {0.05, -5.158985250188670e-3, 4.731265284079487e-3}};
  for (const auto& row : rows) motion.append(row);
  return motion;
}

Agreement agree(const Model& model, std::span<const std::string> columns) {
  const std::vector<double> times = equal_times(model.run.end, 101);
  std::vector<Trajectory> all;
  for (const char* coordinates : {"natural", "absolute"}) {
    for (const auto& [formulation, integrator] :
         {std::pair{"index3", "taylor"}, {"index1", "dop853"}}) {
      all.push_back(
          simulate(model, options_for({coordinates, formulation, integrator, 1e-12}, times))
              .trajectory);
    }
  }
  Agreement out{with_columns(columns), 0};
  std::vector<double> row(columns.size() + 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    row[0] = times[i];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      row[c + 1] = 0;
      for (const Trajectory& one : all) {
        row[c + 1] += one[columns[c]][i] / static_cast<double>(all.size());
      }
    }
    out.motion.append(row);
  }
  for (const Trajectory& one : all) {
    for (const std::string& name : columns) {
      out.difference = std::max(out.difference, largest_difference(one[name], out.motion[name]));
    }
  }
  return out;
}

std::span<const CaseStudy> case_studies() {
  using enum CaseStudy::Kind;
  static const std::vector<CaseStudy> all = {
      {"N four-bar, N = 2",
       "four_bar",
       {"xB0", "yB0"},
       {1e-4, 1e-6, 1e-8, 1e-10},
       {2.70, 5.00, 6.52, 7.91}},
      {"Slider crank",
       "slider_crank",
       {"Ax", "Ay", "Bx"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {2.57, 5.16, 6.79, 9.04}},
      {"Copy machine",
       "copy_machine",
       {"Bx", "By", "Cy"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {7.42, 8.57, 11.19, 13.04}},
      {"McPherson strut",
       "mcpherson_planar",
       {"Ay", "Bx", "By", "Px", "Py"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {10.62, 11.48, 13.65, 14.52},
       OwnData},
      {"Bricard",
       "bricard",
       {"xP3", "yP3", "zP3"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {6.99, 9.52, 11.96, 13.36}},
      {"Flyball governor",
       "flyball_governor",
       {"s", "Bx", "By", "Bz"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {5.78, 7.93, 10.99, 12.15}},
      {"Five-link suspension",
       "five_link_road",
       {"Bx", "By", "Bz", "P5x", "P5y", "P5z"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {1.60, 3.56, 5.68, 7.99},
       OwnData},
  };
  return all;
}

std::span<const CaseStudy> other_suspensions() {
  using enum CaseStudy::Kind;
  static const std::vector<CaseStudy> all = {
      {"McPherson strut in space",
       "mcpherson",
       {"x", "y", "z"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {},
       Another},
      {"Five-link suspension, released",
       "five_link",
       {"x", "y", "z"},
       {1e-6, 1e-8, 1e-10, 1e-12},
       {},
       Another},
  };
  return all;
}

Agreement motion_of(const CaseStudy& study) {
  if (study.kind == CaseStudy::Kind::Another) {
    return agree(read_mechanism(study.model), study.positions);
  }
  if (study.model == "flyball_governor") return {governor_motion(), 0};
  return {known_motion(study.model), 0};
}

}  // namespace koppel::problems
