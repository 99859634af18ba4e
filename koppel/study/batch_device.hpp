// What moves the copies of a batch: the lanes of this machine, or a graphics card. For sources of
// this folder only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <koppel/study/batch.hpp>

namespace koppel {

// Where copies start: the layout of a step (t, h, q, v, x, λ, u, p), each number one for all copies
// or one for each.
class BatchStarts {
 public:
  BatchStarts(const StepModel& model, const CardNumbers& empty);

  // So many copies, all at the model's start.
  void resize(std::size_t count);
  std::size_t count() const { return count_; }
  std::size_t num_rows() const { return common_.size(); }

  std::span<const double> row(std::size_t i) const {
    return own_[i].empty() ? std::span(&common_[i], 1) : std::span<const double>(own_[i]);
  }
  double at(std::size_t i, std::size_t copy) const {
    return own_[i].empty() ? common_[i] : own_[i][copy];
  }
  double common(std::size_t i) const { return common_[i]; }
  // Room for a number of each copy, to be set. False: there are numbers already.
  bool make_own(std::size_t i);
  void set(std::size_t i, std::size_t copy, double value) { own_[i][copy] = value; }

  // Numbers of some copies side by side, `width` of a row; the last copy fills what is left.
  void get(std::size_t first, std::size_t size, std::size_t width, std::span<double> out) const;

  std::size_t num_states = 0, first_input = 0, first_parameter = 0;

 private:
  std::size_t count_ = 0;
  std::vector<double> common_;
  std::vector<CardNumbers> own_;
};

class BatchDevice {
 public:
  virtual ~BatchDevice() = default;

  virtual std::size_t lanes() const { return 0; }
  virtual std::size_t best_count() const { return 0; }
  // All copies of `starts` to their starts; or those that are marked.
  virtual void reset() = 0;
  virtual void reset(std::span<const std::uint8_t> marked) = 0;
  // What Batch has of the same names. A row is a place in the layout.
  virtual void advance(std::span<const double> inputs, int steps) = 0;
  virtual void observe(std::span<double> out) = 0;
  virtual const Batch::Reduction& reduce(std::uint64_t steps, std::span<const Batch::Wanted> wanted,
                                         const BatchHealth* health) = 0;
  virtual void get(std::size_t row, std::span<double> out) = 0;
  virtual void set(std::size_t row, std::span<const double> values) = 0;
  virtual Batch::Failure failure(std::size_t copy) const = 0;

  BatchStarts starts;

 protected:
  explicit BatchDevice(BatchStarts at) : starts(std::move(at)) {}
};

// `observed`: of the layout, in lanes; names of outputs, on a card.
std::unique_ptr<BatchDevice> make_batch_in_lanes(const StepModel& model,
                                                 const std::vector<Expr>& observed,
                                                 const BatchOptions& options);
std::unique_ptr<BatchDevice> make_batch_on_card(const StepModel& model,
                                                const std::vector<std::string>& observed,
                                                const BatchOptions& options);

}  // namespace koppel
