// A model on a graphics card: its CUDA code (export/cuda.hpp), compiled by nvcc, loaded and run.
//
// Every variant has the bits that the same step has on the processor, unless contraction is asked
// for: products and sums in one rounding, faster, and other bits. The compiler is `nvcc` of the
// path, or what KOPPEL_NVCC names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/export/step_model.hpp>

namespace koppel {

struct CardLibrary;

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
    std::vector<int> failures;                // what NAME_step returned; not 0: stopped there
    std::vector<std::uint64_t> counts;        // steps of those that stopped, before they did
    double seconds = 0;                       // transfers included
  };
  // Copies that stay on the card from one call to the next. The card must outlive them.
  class Copies {
   public:
    Copies(const Card& card, std::size_t count);

    // By their places, a number for each copy.
    void set_state(std::size_t place, std::span<const double> values);
    void set_parameter(std::size_t place, std::span<const double> values);
    void set_input(std::size_t place, std::span<const double> values);
    void set_counts(std::span<const std::uint64_t> counts);  // of steps since the start
    void run(std::uint64_t steps);
    void get_state(std::size_t place, std::span<double> values) const;
    void get_counts(std::span<std::uint64_t> counts) const;
    void get_failures(std::span<int> failures) const;  // of the last run, as Results has them
    // After the last run, which may have had no steps.
    void get_output(std::size_t output, std::span<double> values) const;

   private:
    friend class Card;
    void restart();

    const CardLibrary& of_;
    std::unique_ptr<void, void (*)(void*)> batch_;
  };

  // So many steps of all variants; extremes and means are over the ends of all steps. Memory on the
  // card and of the results stays for as many variants again; the results are valid until then.
  const Results& run(const Variants& variants, std::uint64_t steps, std::span<const Wanted> wanted);

 private:
  struct Job {
    const Variants& variants;
    std::uint64_t steps;
    std::span<const Wanted> wanted;
  };
  struct Part {
    std::size_t first, count;  // of the variants
    std::optional<Copies> copies = {};
  };
  void divide(std::size_t count);
  void run(Part& part, const Job& job);

  std::unique_ptr<CardLibrary> library_;
  std::vector<Part> parts_;
  std::size_t size_ = 0;  // of all
  Results results_;
};

}  // namespace koppel
