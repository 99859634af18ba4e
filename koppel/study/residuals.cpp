#include <koppel/study/residuals.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/study/column_unit.hpp>
#include <koppel/study/start_tangent.hpp>

namespace koppel {
namespace {

std::vector<std::string> names_of(const FitOptions& options) {
  std::vector<std::string> out;
  for (const Fitted& range : options.over) out.push_back(range.name);
  return out;
}

// The model with an output for a column, where it knows what that is.
bool add_output(const std::string& name, Model& model) {
  const std::vector<Criterion> criteria = {{name, name, Reduce::Final}};
  try {
    add_quantities(criteria, {}, model);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_stop(const Event& event) { return event.stops; }

}  // namespace

double end_of(const Trajectory& data) {
  return data.empty() ? 0 : data.time().back() * split_unit(data.columns()[0].name).factor;
}

Residuals::Residuals(const Model& model, const std::vector<ParameterOrigin>& origins,
                     const Trajectory& data, const FitOptions& options)
    : options_(options), space_(model, origins, names_of(options)) {
  if (data.num_rows() == 0) throw Error("study.bad-data", "the data have no rows.");
  take_columns(data, options);
  take_points(data);
  if (points_.size() < space_.size()) {
    throw Error(
        "study.bad-data",
        fmt::format("the data have {} values for {} parameters.", points_.size(), space_.size()),
        "Measure more, or fit fewer parameters.");
  }
  if (!(points_.back().t > 0)) {
    throw Error("study.bad-data", "the data have no value after t = 0.",
                "What the motion does can be seen from later ones.");
  }
  num_compared_ = points_.size();
  options_.run.end = points_.back().t;
  options_.run = with_fixed_cost(space_.model(), options_.run);
}

void Residuals::take_columns(const Trajectory& data, const FitOptions& options) {
  Model model = space_.model();
  std::vector<std::string> si;
  std::string all;
  for (const Column& column : data.columns()) all += (all.empty() ? "" : ", ") + column.name;
  for (const std::string& name : options.columns) {
    if (data.find(name) >= 0) continue;
    throw Error("study.bad-data", fmt::format("the data have no column '{}'.", name),
                "columns: " + all + ".");
  }
  for (std::size_t c = 1; c < data.num_columns(); ++c) {
    const std::string& name = data.columns()[c].name;
    const bool is_asked =
        std::find(options.columns.begin(), options.columns.end(), name) != options.columns.end();
    if (!options.columns.empty() && !is_asked) continue;
    const bool is_known = add_output(name, model);
    const ColumnUnit unit = is_known ? ColumnUnit{name, {}, {}, 1} : split_unit(name);
    if (!is_known && (unit.quantity == name || !add_output(unit.quantity, model))) {
      if (is_asked) {
        throw Error("study.bad-data",
                    fmt::format("the model knows no quantity '{}', a column of the data.", name),
                    "Give the column the name of an output or a quantity of the model.");
      }
      ignored_.push_back(name);
      continue;
    }
    Measured column{name, unit.quantity, unit.factor};
    for (const FitOptions::Noise& noise : options.noise) {
      if (noise.column != name && noise.column != unit.quantity) continue;
      if (column.is_noise_given) {
        throw Error("study.bad-option",
                    fmt::format("the noise of column '{}' is given twice.", name));
      }
      column.sigma = noise.sigma * unit.factor;
      column.is_noise_given = true;
    }
    columns_.push_back(std::move(column));
    data_columns_.push_back(c);
    si.push_back(unit.unit.empty() ? "?" : unit.si);
  }
  for (const FitOptions::Noise& noise : options.noise) {
    const bool is_there = std::any_of(columns_.begin(), columns_.end(), [&](const Measured& c) {
      return c.name == noise.column || c.quantity == noise.column;
    });
    if (!is_there || !(noise.sigma > 0)) {
      throw Error("study.bad-option",
                  is_there ? fmt::format("the noise of a column must be above 0: {}={:g}.",
                                         noise.column, noise.sigma)
                           : fmt::format("there is no column '{}' to have noise.", noise.column));
    }
  }
  if (columns_.empty()) {
    throw Error("study.bad-data", "no column of the data is a quantity of the model.",
                fmt::format("Name columns as the model's outputs, or as quantities such as "
                            "joint.angle. columns: {}.",
                            all));
  }
  check_units(model, si);
}

// Metres are no radians. Where an output of the model is an expression its unit is not known.
void Residuals::check_units(const Model& model, const std::vector<std::string>& si) const {
  if (std::all_of(si.begin(), si.end(), [](const std::string& unit) { return unit == "?"; }))
    return;
  const Equations equations = derive(model);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (const Equations::Output& output : equations.outputs) {
      if (output.name != columns_[c].quantity || output.unit.empty()) continue;
      if (si[c] == "?" || si[c] == output.unit) continue;
      throw Error(
          "study.bad-data",
          fmt::format("column '{}' of the data cannot be '{}' of the model, which is in {}.",
                      columns_[c].name, output.name, output.unit),
          "Correct the unit, or the name of the column.")
          .about(output.name);
    }
  }
}

// By its name: another column that is called so, or a quantity of the model in its place, tells
// that columns are in another order.
void Residuals::check_time_column(const Trajectory& data) const {
  const auto is_time = [&](std::size_t c) {
    std::string name = split_unit(data.columns()[c].name).quantity;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name == "t" || name == "time";
  };
  const std::string& first = data.columns()[0].name;
  if (is_time(0)) return;
  Model model = space_.model();
  bool is_wrong = add_output(first, model);
  for (std::size_t c = 1; c < data.num_columns(); ++c) is_wrong = is_wrong || is_time(c);
  if (!is_wrong) return;
  throw Error("study.bad-data",
              fmt::format("the first column of the data is '{}', where times should be.", first),
              "Put the column of times first, and call it t.");
}

void Residuals::take_points(const Trajectory& data) {
  const ColumnUnit unit = split_unit(data.columns()[0].name);
  if (!unit.unit.empty() && unit.si != "s") {
    throw Error("study.bad-data",
                fmt::format("the first column of the data is '{}', which is no time.",
                            data.columns()[0].name),
                "The first column has the times, in s unless its header has another unit.");
  }
  check_time_column(data);
  std::vector<double> t(data.time().begin(), data.time().end());
  for (double& time : t) time *= unit.factor;
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (!std::isfinite(t[row])) {
      throw Error("study.bad-data", fmt::format("row {} of the data has no time.", row + 1),
                  "Gaps may be in other columns than the first.");
    }
    if (t[row] < 0 || (row > 0 && !(t[row] > t[row - 1]))) {
      throw Error(
          "study.bad-data",
          fmt::format("the time of row {} is {:g}, after {:g}: times must ascend from 0 on.",
                      row + 1, t[row], row > 0 ? t[row - 1] : 0.0));
    }
  }
  if (options_.until) {
    std::erase_if(t, [&](double time) { return time > *options_.until; });
    if (t.empty()) {
      throw Error("study.bad-data",
                  fmt::format("the data have no row up to t = {:g} s.", *options_.until));
    }
  }
  std::vector<double> sum(columns_.size(), 0.0), squares(columns_.size(), 0.0);
  std::vector<double> count(columns_.size(), 0.0);
  for (std::size_t row = 0; row < t.size(); ++row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const double value = data.column(data_columns_[c])[row] * columns_[c].factor;
      if (std::isinf(value)) {
        throw Error("study.bad-data",
                    fmt::format("column '{}' of the data is infinite in row {}, at t = {:g} s.",
                                columns_[c].name, row + 1, t[row]),
                    "Leave the field empty where nothing was measured.");
      }
      if (std::isnan(value)) {
        ++columns_[c].num_gaps;
        continue;
      }
      points_.push_back({t[row], c, value});
      sum[c] += value;
      squares[c] += value * value;
      ++count[c];
    }
  }
  // Until the noise is known, columns weigh by how much they vary.
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].is_noise_given || count[c] == 0) continue;
    const double mean = sum[c] / count[c];
    const double spread = std::sqrt(std::max(0.0, squares[c] / count[c] - mean * mean));
    columns_[c].sigma = spread > 0 ? spread : std::max(1.0, std::abs(mean));
  }
}

// Of a run up to the last of these points. Makes outputs of what was measured.
TraceOptions Residuals::trace_options(std::span<const Point> points, Model& model) const {
  TraceOptions out;
  out.run = options_.run;
  out.run.end = points.back().t;
  out.interpolates = true;
  for (const Measured& column : columns_) {
    add_output(column.quantity, model);
    out.outputs.push_back(column.quantity);
  }
  for (const Point& point : points) {
    if (out.times.empty() || out.times.back() < point.t) out.times.push_back(point.t);
  }
  return out;
}

const Residuals::Values* Residuals::at(const std::vector<double>& parameters, bool with_slopes) {
  if (last_ && last_->at == parameters && (!with_slopes || !last_->J.empty())) return &*last_;
  ++num_runs_;
  why_.clear();
  last_.reset();
  try {
    Model model = space_.at(parameters);
    const std::vector<std::vector<double>> of_parameters = space_.directions(model);
    std::erase_if(model.events, is_stop);
    const TracedMotion motion(model, trace_options(compared(), model));
    if (motion.status() == Outcome::Status::Stopped) throw Stopped{};
    if (motion.status() == Outcome::Status::Failed) {
      why_ = motion.text();
      return nullptr;
    }
    const bool is_doubtful = motion.status() == Outcome::Status::Doubtful;
    Values values{parameters, {}, {}, is_doubtful ? motion.text() : ""};
    // Of values, or of changes, by samples.
    const auto read = [](const TracedMotion::Reading& at, auto&& of) {
      double sum = 0;
      for (std::size_t i = 0; i < at.weights.size(); ++i) sum += at.weights[i] * of(at.first + i);
      return sum;
    };
    std::vector<const TracedMotion::Reading*> reading_of;
    auto next = motion.readings().begin();
    for (const Point& point : compared()) {
      while (next + 1 != motion.readings().end() && next->t < point.t) ++next;
      reading_of.push_back(&*next);
      const double y = read(
          *next, [&](std::size_t sample) { return motion.samples()[sample].values[point.column]; });
      values.r.push_back((y - point.value) / columns_[point.column].sigma);
    }
    if (with_slopes) {
      motion.refuse_without_derivatives({of_parameters, space_.names()});
      const Matrix start = start_tangent(model, motion.equations(), motion.start());
      const std::vector<TracedMotion::Changes> changes =
          motion.forward(motion.directions(start, of_parameters));
      for (std::size_t i = 0; i < num_compared_; ++i) {
        const std::size_t c = points_[i].column;
        for (const TracedMotion::Changes& change : changes) {
          const double slope =
              read(*reading_of[i], [&](std::size_t sample) { return change.values[sample][c]; });
          values.J.push_back(slope / columns_[c].sigma);
        }
      }
    }
    last_ = std::move(values);
    return &*last_;
  } catch (const Error& error) {
    if (error.has(Cause::Method)) throw;
    why_ = error.what();
    return nullptr;
  }
}

std::optional<double> Residuals::stop_at(const std::vector<double>& parameters) {
  Model model = space_.at(parameters);
  if (std::none_of(model.events.begin(), model.events.end(), is_stop)) return {};
  ++num_runs_;
  const TracedMotion motion(model, trace_options(points_, model));
  if (motion.status() == Outcome::Status::Stopped) throw Stopped{};
  if (!motion.is_ended_by_event()) return {};
  return motion.end();
}

bool Residuals::compare_up_to(std::optional<double> stop, bool may_grow) {
  const auto first_after = std::find_if(
      points_.begin(), points_.end(), [&](const Point& point) { return stop && point.t > *stop; });
  auto count = static_cast<std::size_t>(first_after - points_.begin());
  if (!may_grow) count = std::min(count, num_compared_);
  if (count == num_compared_) return false;
  num_compared_ = count;
  last_.reset();
  return true;
}

std::size_t Residuals::num_rows_left_out() const {
  std::size_t count = 0;
  for (std::size_t i = num_compared_; i < points_.size(); ++i) {
    if (i == num_compared_ || points_[i].t > points_[i - 1].t) ++count;
  }
  return count;
}

double Residuals::sum_of_squares(const std::vector<double>& parameters) {
  const Values* values = at(parameters, false);
  if (values == nullptr) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const double r : values->r) sum += r * r;
  return sum;
}

std::vector<double> Residuals::root_mean_squares(const Values& values) const {
  std::vector<double> sum(columns_.size(), 0.0), count(columns_.size(), 0.0);
  for (std::size_t i = 0; i < num_compared_; ++i) {
    const std::size_t c = points_[i].column;
    sum[c] += std::pow(values.r[i] * columns_[c].sigma, 2);
    ++count[c];
  }
  for (std::size_t c = 0; c < sum.size(); ++c) {
    sum[c] = count[c] > 0 ? std::sqrt(sum[c] / count[c]) : 0;
  }
  return sum;
}

bool Residuals::estimate_noise(const std::vector<double>& parameters) {
  const Values* values = at(parameters, true);
  if (values == nullptr) return false;
  const FitStatistics of_fit = statistics(*values);
  std::vector<double> squares(columns_.size(), 0.0);
  for (std::size_t i = 0; i < num_compared_; ++i) {
    squares[points_[i].column] += values->r[i] * values->r[i];
  }
  std::vector<double> factors(columns_.size(), 1.0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    // What parameters are found from alone says nothing about its noise.
    constexpr double kLeast = 0.5;
    const double degrees = of_fit.degrees_of_column(c);
    if (columns_[c].is_noise_given || !(squares[c] > 0) || degrees < kLeast) continue;
    factors[c] = std::sqrt(squares[c] / degrees);
  }
  constexpr double kMuch = 0.01;
  if (std::all_of(factors.begin(), factors.end(),
                  [](double factor) { return std::abs(factor - 1) <= kMuch; })) {
    return false;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].sigma *= factors[c];
  last_.reset();
  return true;
}

FitStatistics Residuals::statistics(const Values& values) const {
  using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(values.r.size());
  const auto n = static_cast<Eigen::Index>(values.at.size());
  std::vector<std::size_t> column_of;
  for (const Point& point : compared()) column_of.push_back(point.column);
  std::vector<bool> is_given;
  for (const Measured& column : columns_) is_given.push_back(column.is_noise_given);
  return {Eigen::Map<const Rows>(values.J.data(), rows, n) * sizes_of(values.at).asDiagonal(),
          column_of, std::move(is_given)};
}

void Residuals::describe(const Values& values, std::vector<Fit::OfColumn>& columns,
                         bool is_before) const {
  const std::vector<double> rms = root_mean_squares(values);
  columns.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Fit::OfColumn& out = columns[c];
    out.name = columns_[c].name;
    out.num_gaps = columns_[c].num_gaps;
    out.num_values = static_cast<std::size_t>(
        std::count_if(compared().begin(), compared().end(),
                      [&](const Point& point) { return point.column == c; }));
    (is_before ? out.rms_before : out.rms) = rms[c] / columns_[c].factor;
    out.sigma = columns_[c].sigma / columns_[c].factor;
    out.is_noise_given = columns_[c].is_noise_given;
  }
}

}  // namespace koppel
