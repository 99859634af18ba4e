// A model on a graphics card: its CUDA code (export/cuda.hpp), compiled by nvcc, loaded and run.
//
// Every variant has the bits that the same step has on the processor. The compiler is `nvcc` of the
// path, or what KOPPEL_NVCC names.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <koppel/export/step_model.hpp>

namespace koppel {

struct CardLibrary;

void* allocate_for_card(const CardLibrary* of, std::size_t bytes);  // throws std::bad_alloc
void release_for_card(const CardLibrary* of, void* memory);

// Memory of the host that the card reads and writes at full speed, for vectors. Numbers that are
// not given a value are not set to 0. Without a card: ordinary memory.
template <typename T>
class CardAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  CardAllocator() = default;
  explicit CardAllocator(std::shared_ptr<const CardLibrary> of) : of_(std::move(of)) {}
  template <typename U>
  explicit CardAllocator(const CardAllocator<U>& other) : of_(other.of()) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_for_card(of_.get(), count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) { release_for_card(of_.get(), memory); }
  template <typename U>
  void construct(U*) {}
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  const std::shared_ptr<const CardLibrary>& of() const { return of_; }
  bool operator==(const CardAllocator& other) const { return of_ == other.of_; }

 private:
  std::shared_ptr<const CardLibrary> of_;
};

class Card {
 public:
  // Throws Error `study.no-card`, with the reason: no compiler, no card, or no such step. Where
  // nothing but final values are ever wanted (not `reduces`) there is half as much to compile.
  struct Options {
    bool reduces = true;
  };
  Card(const StepModel& model, const Options& options);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  using Numbers = std::vector<double, CardAllocator<double>>;
  Numbers make_numbers(std::size_t count) const;
  // How many variants it steps at the same time: multiples of it leave no part of it idle.
  std::size_t num_at_once() const;

  // States (q, v, x, λ) and parameters, by their places: a number for each variant, or one for all.
  struct Variants {
    std::size_t count = 0;
    std::vector<std::span<const double>> states, parameters;
  };
  enum class Which { Final, Minimum, Maximum, Mean };
  struct Wanted {
    std::size_t output;  // of the step model's
    Which which;
  };
  struct Results {
    std::vector<Numbers> values;                    // of each that is wanted, by variant
    std::vector<int, CardAllocator<int>> failures;  // what NAME_step returned; not 0: stopped there
    std::vector<std::uint64_t> counts;              // steps of those that stopped, before they did
    double seconds = 0;                             // transfers included
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

  // Memory on the card and of results for so many variants; it stays until another number comes.
  void make_room(std::size_t count, std::size_t num_wanted);
  // So many steps of all variants; extremes and means are over the ends of all steps. The results
  // are valid until the next run.
  const Results& run(const Variants& variants, std::uint64_t steps, std::span<const Wanted> wanted);
  // A state of all variants after the last run, by its place.
  void get_state(std::size_t place, std::span<double> values) const;

 private:
  struct Job {
    const Variants& variants;
    std::uint64_t steps;
    std::span<const Wanted> wanted;
  };
  struct Part {
    std::size_t first, count;  // of the variants
    Copies copies;
  };
  void divide(std::size_t count);
  void run(Part& part, const Job& job);

  std::shared_ptr<CardLibrary> library_;
  std::vector<Part> parts_;
  std::size_t size_ = 0;  // of all
  Results results_;
};

}  // namespace koppel
