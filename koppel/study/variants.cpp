#include <koppel/study/variants.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/study/parameters.hpp>
#include <koppel/study/sweep.hpp>
#include <koppel/study/sweep_table.hpp>

namespace koppel {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

int threads_of(const SweepOptions& options) {
  return options.jobs.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

Sweep sweep_of(std::function<Model(const Settings&)> make_model, const SweepOptions& options) {
  const auto run = [run = options.run](const Model& model) {
    return run ? *run : options_of(model);
  };
  return {std::move(make_model), run, Samples(options.design), options.of};
}

SweepResult result_of(const Sweep& sweep) {
  SweepResult out;
  for (const Range& range : sweep.samples.design().ranges) out.parameters.push_back(range.name);
  for (const Criterion& criterion : sweep.criteria) out.criteria.push_back(criterion.label);
  const auto rows = static_cast<int>(sweep.samples.size());
  out.points = Matrix(rows, static_cast<int>(out.parameters.size()));
  for (int i = 0; i < rows; ++i) {
    const std::vector<double> point = sweep.samples.point(static_cast<std::size_t>(i));
    for (int j = 0; j < out.points.columns; ++j)
      out.points(i, j) = point[static_cast<std::size_t>(j)];
  }
  out.rows.assign(sweep.samples.size(),
                  {SweepRow::Status::Failed, {}, {}, "stopped before this variant."});
  return out;
}

SweepResult compute(Sweep sweep, int jobs, const SweepOptions& options) {
  prepare(sweep);
  SweepResult out = result_of(sweep);
  SweepQueue queue(std::vector<bool>(sweep.samples.size(), false));
  std::size_t num_done = 0;
  struct Stop {};
  try {
    out.is_complete = run_sweep(sweep, queue, jobs, [&](std::size_t number, const SweepRow& row) {
      out.rows[number] = row;
      ++num_done;
      if (options.progress && !options.progress(num_done, out.rows.size())) throw Stop{};
    });
  } catch (const Stop&) {
    out.is_complete = num_done == out.rows.size();
  }
  return out;
}

// Values are written with all digits: they are read back as they were.
std::vector<double> values_of(const Settings& settings, const Samples& samples) {
  if (settings.empty()) return samples.point(0);
  std::vector<double> out;
  for (const auto& [name, text] : settings) {
    out.push_back(kNoNumber);
    std::from_chars(text.data(), text.data() + text.size(), out.back());
  }
  return out;
}

}  // namespace

void SweepOptions::validate() const {
  const Samples samples(design);
  check_labels(of);
  if (run) run->validate();
  constexpr int kMost = 4096;
  if (jobs && (*jobs < 1 || *jobs > kMost)) {
    throw Error(
        "study.bad-option",
        fmt::format("the number of threads must be between 1 and {} (got {}).", kMost, *jobs));
  }
}

std::size_t SweepResult::count(SweepRow::Status status) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const SweepRow& r) { return r.status == status; }));
}

std::vector<double> SweepResult::operator[](const std::string& name) const {
  std::vector<double> out;
  if (const auto p = std::find(parameters.begin(), parameters.end(), name); p != parameters.end()) {
    const auto column = static_cast<int>(p - parameters.begin());
    for (int i = 0; i < points.rows; ++i) out.push_back(points(i, column));
    return out;
  }
  const auto c = std::find(criteria.begin(), criteria.end(), name);
  if (c == criteria.end()) {
    std::vector<std::string> known = parameters;
    known.insert(known.end(), criteria.begin(), criteria.end());
    throw Error("results.unknown-column", fmt::format("there is no column '{}'.", name),
                list_choices(name, "columns", known));
  }
  const auto column = static_cast<std::size_t>(c - criteria.begin());
  for (const SweepRow& row : rows) {
    out.push_back(column < row.values.size() ? row.values[column] : kNoNumber);
  }
  return out;
}

SweepResult sweep(const std::filesystem::path& file, const SweepOptions& options) {
  options.validate();
  const auto make = [file](const Settings& settings) { return read_model(file, {settings}); };
  return compute(sweep_of(make, options), threads_of(options), options);
}

SweepResult sweep(const MakeVariant& make, const SweepOptions& options) {
  options.validate();
  const Samples samples(options.design);
  const auto make_model = [&](const Settings& settings) {
    return make(values_of(settings, samples));
  };
  return compute(sweep_of(make_model, options), threads_of(options), options);
}

SweepResult sweep(const Model& model, const SweepOptions& options) {
  return sweep(model, {}, options);
}

SweepResult sweep(const Model& model, const std::vector<ParameterOrigin>& origins,
                  const SweepOptions& options) {
  options.validate();
  std::vector<ParameterOrigin> given = origins;  // each variant has the settings of its values
  for (const char* setting : {"end", "step", "tolerance", "samples"}) {
    if (options.run) give_setting(given, setting);
  }
  std::vector<std::string> names;
  for (const Range& range : options.design.ranges) names.push_back(range.name);
  const StudiedParameters over(model, given, names);
  const Samples samples(options.design);
  const auto make_model = [&](const Settings& settings) {
    return settings.empty() ? model : over.at(values_of(settings, samples));
  };
  return compute(sweep_of(make_model, options), 1, options);
}

std::string to_csv(const SweepResult& result) {
  std::string out = table_head(result.parameters, result.criteria);
  std::vector<double> point(result.parameters.size());
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    for (std::size_t j = 0; j < point.size(); ++j) {
      point[j] = result.points(static_cast<int>(i), static_cast<int>(j));
    }
    append_line(i, point, result.criteria.size(), result.rows[i], out);
    out += '\n';
  }
  return out;
}

}  // namespace koppel
