// Steps of many variants: four or eight at a time in packed instructions against one at a time.
//
//   lanes_benchmark > FILE
//
// Fixed-cost steps and rk4 are one program. dop853 is runtime/dop853.h on machine code for one
// variant against LaneDop853, over steps of 50 ms, with variants that differ in speed by up to a
// tenth. All take turns; of each the least time counts, so that what else the machine does is left
// out.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <benchmarks/machine.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/integrate/lane_dop853.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::benchmarks {
namespace {

constexpr int kRounds = 60;
constexpr std::size_t kMost = 8;  // variants of each round

struct Case {
  const char *model, *parameter, *value;  // which is set; null: none
};

// A way to take steps of kMost variants: `run` from their start.
class Contestant {
 public:
  explicit Contestant(const StepModel& model, std::size_t lanes) : lanes_(lanes) {
    for (std::size_t first = 0; first < kMost; first += lanes) {
      std::vector<double> layout;
      const auto put = [&](double x, bool is_speed = false) {
        for (std::size_t l = 0; l < lanes; ++l) {
          layout.push_back(is_speed ? x * (1 + 0.1 * static_cast<double>(first + l) / kMost) : x);
        }
      };
      put(model.start_time), put(model.step);
      for (const CVariable& q : model.q) put(q.start);
      for (const CVariable& v : model.v) put(v.start, true);
      for (const auto* all : {&model.x, &model.multipliers, &model.inputs, &model.parameters}) {
        for (const CVariable& of : *all) put(of.start);
      }
      start_.push_back(layout);
    }
  }
  virtual ~Contestant() = default;

  // Seconds a step of a variant.
  double time(int steps) {
    in = start_;
    const auto before = std::chrono::steady_clock::now();
    for (std::vector<double>& variants : in) run(variants, steps);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
    return seconds.count() / steps / kMost;
  }
  double value(std::size_t row, std::size_t variant) const {
    return in[variant / lanes_][row * lanes_ + variant % lanes_];
  }
  std::size_t num_rows() const { return in[0].size() / lanes_; }

  std::vector<std::vector<double>> in;  // layouts of variants that go together

 protected:
  virtual void run(std::vector<double>& variants, int steps) = 0;
  std::size_t lanes_;

 private:
  std::vector<std::vector<double>> start_;
};

class FixedCost : public Contestant {
 public:
  FixedCost(const StepModel& model, std::size_t lanes)
      : Contestant(model, lanes),
        code_(MachineCode::generate(model.advance, static_cast<int>(lanes))),
        out_(model.state_size() * lanes) {
    if (code_ != nullptr) work_.resize(code_->work_size());
  }
  bool exists() const { return code_ != nullptr; }

 protected:
  void run(std::vector<double>& v, int steps) override {
    for (int k = 0; k < steps; ++k) {
      code_->run(v.data(), out_.data(), work_.data());
      std::copy(out_.begin(), out_.end(), v.begin() + 2 * static_cast<std::ptrdiff_t>(lanes_));
      for (std::size_t l = 0; l < lanes_; ++l) v[l] += v[lanes_ + l];
    }
  }

 private:
  std::unique_ptr<const MachineCode> code_;
  std::vector<double> out_, work_;
};

bool are_finite(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += 0 * x;
  return sum == 0;
}

// runtime/accurate.h on machine code.
class Accurate : public Contestant {
 public:
  explicit Accurate(const StepModel& model)
      : Contestant(model, 1),
        rates_(MachineCode::generate(model.rates)),
        project_(MachineCode::generate(model.project)),
        n_(model.state_size()),
        num_moved_(model.num_rows > 0 ? model.q.size() + model.v.size() : 0),
        step_(model.step),
        tolerance_(*model.tolerance),
        work_(std::max(rates_->work_size(), project_->work_size())),
        moved_(model.q.size() + model.v.size()),
        memory_(n_ * (KOPPEL_DOP853_ALL_STAGES + 3)),
        ode_{static_cast<int>(n_), rate, arrive, this} {}

 protected:
  void run(std::vector<double>& v, int steps) override {
    in_ = v.data();
    for (int k = 1; k <= steps; ++k) advance(k * step_);
  }

 private:
  static int rate(void* self, double t, const double* y, double* rate) {
    auto* const a = static_cast<Accurate*>(self);
    a->in_[0] = t;
    std::copy_n(y, a->n_, a->in_ + 2);
    a->rates_->run(a->in_, rate, a->work_.data());
    return are_finite({rate, a->n_}) ? 0 : KOPPEL_NO_RATES;
  }
  static int arrive(void* self, double t, double* y, double* rate) {
    auto* const a = static_cast<Accurate*>(self);
    if (a->num_moved_ > 0) {
      a->in_[0] = t;
      std::copy_n(y, a->n_, a->in_ + 2);
      a->project_->run(a->in_, a->moved_.data(), a->work_.data());
      if (!are_finite(a->moved_)) return KOPPEL_NOT_PROJECTED;
      std::copy_n(a->moved_.begin(), a->num_moved_, y);
    }
    return Accurate::rate(self, t, y, rate);
  }

  void advance(double t_end) {
    koppel_dop853 s{};
    double* next = memory_.data();
    for (double** place : {&s.y0, &s.y1, &s.stage}) *place = next, next += n_;
    for (double*& k : s.k) k = next, next += n_;
    koppel_dop853_init(&s, in_[0], in_[1], tolerance_, 1);
    std::copy_n(in_ + 2, n_, s.y1);
    int reason = rate(this, in_[0], s.y1, s.k[KOPPEL_DOP853_STAGES]);
    while (reason == 0 && s.t1 < t_end) reason = koppel_dop853_step(&s, &ode_, t_end, 0);
    in_[0] = s.t1;
    in_[1] = s.h;
    std::copy_n(s.y1, n_, in_ + 2);
  }

  std::unique_ptr<const MachineCode> rates_, project_;
  std::size_t n_, num_moved_;
  double step_, tolerance_;
  std::vector<double> work_, moved_, memory_;
  koppel_ode ode_;
  double* in_ = nullptr;
};

LaneDop853 make_lanes(const StepModel& model, std::size_t lanes) {
  setenv("KOPPEL_LANES", std::to_string(lanes).c_str(), 1);
  return {LaneFunction(model.rates), LaneFunction(model.project), model.state_size(),
          model.num_rows > 0 ? model.q.size() + model.v.size() : 0, *model.tolerance};
}

class AccurateLanes : public Contestant {
 public:
  AccurateLanes(const StepModel& model, std::size_t lanes)
      : Contestant(model, lanes),
        step_(model.step),
        integrator_(make_lanes(model, lanes)),
        work_(integrator_.make_work()),
        ends_(lanes),
        reasons_(lanes) {}
  bool exists() const { return integrator_.lanes() == lanes_; }

 protected:
  void run(std::vector<double>& v, int steps) override {
    for (int k = 1; k <= steps; ++k) {
      std::fill(ends_.begin(), ends_.end(), k * step_);
      integrator_.advance(v, ends_, reasons_, work_);
    }
  }

 private:
  double step_;
  LaneDop853 integrator_;
  LaneDop853::Work work_;
  std::vector<double> ends_;
  std::vector<int> reasons_;
};

bool agree(const Contestant& a, const Contestant& b) {
  for (std::size_t row = 0; row < a.num_rows(); ++row) {
    for (std::size_t variant = 0; variant < kMost; ++variant) {
      const double x = a.value(row, variant), y = b.value(row, variant);
      if (std::memcmp(&x, &y, sizeof x) != 0) return false;
    }
  }
  return true;
}

// Null where the processor has no such lanes.
template <typename T>
std::unique_ptr<Contestant> make(const StepModel& model, std::size_t lanes) {
  auto out = std::make_unique<T>(model, lanes);
  return out->exists() ? std::move(out) : nullptr;
}

void report(const Case& c, const char* integrator) {
  ReadOptions read;
  if (c.parameter != nullptr) read.set.emplace_back(c.parameter, c.value);
  const Model model = read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml", read);
  SimulateOptions options = options_of(model);
  const bool is_accurate = integrator == std::string("dop853");
  options.end = 1;
  options.step = is_accurate ? 0.05 : 1e-3;
  if (*integrator != 0) options.integrator = integrator;
  const StepModel step = make_step_model(model, options);
  std::unique_ptr<Contestant> of[3];
  if (is_accurate) {
    of[0] = std::make_unique<Accurate>(step);
    of[1] = make<AccurateLanes>(step, 4);
    of[2] = make<AccurateLanes>(step, 8);
  } else {
    of[0] = make<FixedCost>(step, 1);
    of[1] = make<FixedCost>(step, 4);
    of[2] = make<FixedCost>(step, 8);
  }
  const int steps = is_accurate ? 10 : 100;
  double least[3] = {1, 1, 1};
  for (int k = 0; k < kRounds; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (of[i] != nullptr) least[i] = std::min(least[i], of[i]->time(steps));
    }
  }
  const std::string name =
      std::string(c.model) +
      (c.parameter ? std::string(", ") + c.parameter + " = " + c.value : std::string());
  std::printf("| %s | %s | %zu | %.4g |", name.c_str(),
              step.prepared.choice.integrator.text().c_str(),
              is_accurate ? step.rates.code.size() : step.advance.code.size(), 1e9 * least[0]);
  bool same = true;
  for (std::size_t i = 1; i < 3; ++i) {
    if (of[i] == nullptr) {
      std::printf(" | |");
      continue;
    }
    std::printf(" %.4g | %.2f |", 1e9 * least[i], least[0] / least[i]);
    same = same && agree(*of[0], *of[i]);
  }
  std::printf(" %s |\n", same ? "yes" : "NO");
  std::fflush(stdout);
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  using namespace koppel::benchmarks;
  std::printf("processor: %s\n\n", processor().c_str());
  std::printf(
      "| model | integrator | operations | one, ns a step | four lanes, ns a step of each | ratio "
      "| eight lanes, ns a step of each | ratio | same bits |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const char* integrator : {"", "rk4", "dop853"}) {
    for (const Case& c : {Case{"slider_crank", nullptr, nullptr}, Case{"bricard", nullptr, nullptr},
                          Case{"chain", "n", "10"}, Case{"rotary_crane", nullptr, nullptr},
                          Case{"vehicle_trailer", nullptr, nullptr}}) {
      report(c, integrator);
    }
  }
}
