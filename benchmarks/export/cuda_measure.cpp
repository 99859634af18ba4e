// Steps of an exported batch (koppel export --to cuda): its speed, or its numbers. Compiled with
// the batch, by nvcc for the card or by a C++ compiler for the host; cuda.py does both.
//
//   cuda_measure speed VARIANTS MOST_STEPS SECONDS    prints: steps, best seconds, variants stopped
//   cuda_measure numbers VARIANTS STEPS FILE          writes all states and outputs at the end
//
// -DMODEL=slider_crank -DUPPER=SLIDER_CRANK -DVARIED=g: speeds differ by up to a tenth between
// variants, and so does the parameter VARIED.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define OF(x) JOIN(MODEL, JOIN(_, x))
#define CONSTANT(x) JOIN(UPPER, JOIN(_, x))

#include TEXT(MODEL.h)

namespace {

using Real = OF(real);

void check(int failure) {
  if (failure == 0) return;
  std::fprintf(stderr, "%s\n", OF(message)(failure));
  std::exit(1);
}

class Batch {
 public:
  explicit Batch(int64_t variants) : values_(static_cast<std::size_t>(variants)) {
    check(OF(create)(&batch_, variants));
    const int varied = CONSTANT(JOIN(PARAMETER_, VARIED));
    Real standard = STANDARD;
    for (int64_t i = 0; i < variants; ++i)
      values_[static_cast<std::size_t>(i)] = standard * factor(i);
    check(OF(set_parameter)(batch_, varied, values_.data(), variants));
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { OF(destroy)(batch_); }

  void restart() {
    check(OF(restart)(batch_));
    for (int k = 0; k < CONSTANT(NUM_VELOCITIES); ++k) {
      const int state = CONSTANT(FIRST_VELOCITY) + k;
      check(OF(get_state)(batch_, state, values_.data()));
      for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] *= factor(static_cast<int64_t>(i));
      }
      check(OF(set_state)(batch_, state, values_.data(), static_cast<int64_t>(values_.size())));
    }
  }

  double run(uint64_t steps) {
    const auto begin = std::chrono::steady_clock::now();
    check(OF(run)(batch_, steps, 0, 0));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  long num_stopped() const {
    std::vector<int> failures(values_.size());
    check(OF(get_failures)(batch_, failures.data()));
    long count = 0;
    for (const int failure : failures) count += failure != 0;
    return count;
  }

  void write(const char* path) {
    std::FILE* file = std::fopen(path, "wb");
    if (file == nullptr) std::exit(1);
    for (int k = 0; k < CONSTANT(NUM_STATES); ++k) {
      check(OF(get_state)(batch_, k, values_.data()));
      std::fwrite(values_.data(), sizeof(Real), values_.size(), file);
    }
    for (int k = 0; k < CONSTANT(NUM_OUTPUTS); ++k) {
      check(OF(get_output)(batch_, k, CONSTANT(FINAL), values_.data()));
      std::fwrite(values_.data(), sizeof(Real), values_.size(), file);
    }
    std::fclose(file);
  }

 private:
  Real factor(int64_t i) const {
    return 1 + static_cast<Real>(i) / (10 * static_cast<Real>(values_.size()));
  }

  OF(batch) * batch_ = nullptr;
  std::vector<Real> values_;
};

// As many steps as take so long, but not more than the model's own run has; the best of three.
void measure(Batch& batch, uint64_t most, double seconds) {
  uint64_t steps = 1;
  batch.restart();
  batch.run(1);
  double best = batch.run(1);
  while (steps < most && best < seconds / 4) {
    steps = steps * 4 < most ? steps * 4 : most;
    batch.restart();
    best = batch.run(steps);
  }
  if (best < seconds / 4 * 3 && steps < most) {
    const double more = static_cast<double>(steps) * seconds / best;
    steps = more < static_cast<double>(most) ? static_cast<uint64_t>(more) : most;
    best = 1e300;
  }
  for (int k = 0; k < 3; ++k) {
    batch.restart();
    const double time = batch.run(steps);
    if (time < best) best = time;
  }
  std::printf("%llu %.9g %ld\n", static_cast<unsigned long long>(steps), best, batch.num_stopped());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string what = argv[1];
  Batch batch(std::atoll(argv[2]));
  const auto steps = static_cast<uint64_t>(std::atoll(argv[3]));
  if (what == "speed") {
    measure(batch, steps, std::atof(argv[4]));
  } else {
    batch.restart();
    batch.run(steps);
    batch.write(argv[4]);
    std::printf("%ld\n", batch.num_stopped());
  }
  return 0;
}
