// A model on a graphics card: its CUDA code (export/cuda.hpp), compiled by nvcc and loaded. Every
// copy has the bits that the same step has on the processor. The compiler is `nvcc` of the path, or
// what KOPPEL_NVCC names.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <koppel/base/loaded_library.hpp>
#include <koppel/base/scratch_folder.hpp>

namespace koppel {

struct StepModel;

class Card {
 public:
  // Throws Error `study.no-card`, with the reason: no compiler, no card, or no such step. Where
  // nothing but last values are ever wanted (not `reduces`) there is half as much to compile.
  Card(const StepModel& model, bool reduces);
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

 private:
  // A function of NAME.h, as whatever it is taken for.
  struct Symbol {
    const Card& of;
    const char* name;
    template <typename F>
    operator F*() const {  // NOLINT(google-explicit-constructor)
      auto* const found = of.code_->find<F>((of.name_ + '_' + name).c_str());
      if (found == nullptr) of.refuse_symbol(name);
      return found;
    }
  };
  Symbol symbol(const char* name) const { return {*this, name}; }
  [[noreturn]] void refuse_symbol(const char* name) const;

  ScratchFolder folder_;
  std::string name_;
  std::shared_ptr<const LoadedLibrary> code_;

 public:
  using Batch = void;
  const char* (*message)(int) = symbol("message");
  int (*create)(Batch**, std::int64_t) = symbol("create");
  void (*destroy)(Batch*) = symbol("destroy");
  int (*restart)(Batch*) = symbol("restart");
  int (*set_state)(Batch*, int, const double*, std::int64_t) = symbol("set_state");
  int (*set_parameter)(Batch*, int, const double*, std::int64_t) = symbol("set_parameter");
  int (*set_input)(Batch*, int, const double*, std::int64_t) = symbol("set_input");
  int (*set_counts)(Batch*, const std::uint64_t*) = symbol("set_counts");
  int (*choose_outputs)(Batch*, const int*, int) = symbol("choose_outputs");
  int (*run)(Batch*, std::uint64_t, std::uint64_t, std::uint64_t) = symbol("run");
  int (*get_state)(const Batch*, int, double*) = symbol("get_state");
  int (*get_counts)(const Batch*, std::uint64_t*) = symbol("get_counts");
  int (*get_failures)(const Batch*, int*) = symbol("get_failures");
  int (*get_output)(const Batch*, int, int, double*) = symbol("get_output");
  std::int64_t (*num_at_once)(int) = symbol("num_at_once");
  int (*allocate_on_host)(void**, std::size_t) = symbol("allocate_on_host");
  void (*release_on_host)(void*) = symbol("release_on_host");

  void check(int failure) const;  // of what a function returned
};

void* allocate_for_card(const Card* of, std::size_t bytes);  // throws std::bad_alloc
void release_for_card(const Card* of, void* memory);

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
  explicit CardAllocator(std::shared_ptr<const Card> of) : of_(std::move(of)) {}
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
  const std::shared_ptr<const Card>& of() const { return of_; }
  bool operator==(const CardAllocator& other) const { return of_ == other.of_; }

 private:
  std::shared_ptr<const Card> of_;
};

using CardNumbers = std::vector<double, CardAllocator<double>>;

}  // namespace koppel
