// A model on a graphics card: its CUDA code (export/cuda.hpp), compiled by nvcc, loaded and run.
//
// Every variant has the bits that the same step has on the processor, unless contraction is asked
// for: products and sums in one rounding, faster, and other bits. The compiler is `nvcc` of the
// path, or what KOPPEL_NVCC names.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/export/step_model.hpp>

namespace koppel {

class Card {
 public:
  // Throws Error `study.no-card`, with the reason: no compiler, no card, or no such step.
  explicit Card(const StepModel& model, bool contracts = false);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  // States (q, v, x, λ) and parameters, by their places: a number for each variant, or one for all.
  struct Variants {
    std::size_t count = 0;
    std::vector<std::vector<double>> states, parameters;
  };
  enum class Which { Final, Minimum, Maximum, Mean };
  struct Wanted {
    std::size_t output;  // of the step model's
    Which which;
  };
  struct Results {
    std::vector<std::vector<double>> values;  // of each that is wanted, by variant
    std::vector<int> failures;                // 1: stopped before a value that is not finite
    double seconds = 0;                       // transfers included
  };
  // So many steps of all variants; extremes and means are over the ends of all steps. Memory on the
  // card and of the results stays for as many variants again; the results are valid until then.
  const Results& run(const Variants& variants, std::uint64_t steps, std::span<const Wanted> wanted);

 private:
  struct Library;
  struct Job {
    const Variants& variants;
    std::uint64_t steps;
    std::span<const Wanted> wanted;
  };
  struct Part {
    std::size_t first, count;  // of the variants
    std::unique_ptr<void, void (*)(void*)> batch;
  };
  void divide(std::size_t count);
  void run(Part& part, const Job& job);

  std::unique_ptr<Library> library_;
  std::vector<Part> parts_;
  std::size_t size_ = 0;  // of all
  Results results_;
};

}  // namespace koppel
