// The variants of a sweep on a graphics card: from their numbers to their rows. What differs
// between them travels to the card, what criteria need travels back.
#pragma once

#include <memory>
#include <vector>

#include <koppel/study/batch.hpp>
#include <koppel/study/batch_rows.hpp>
#include <koppel/study/card.hpp>
#include <koppel/study/varied_starts.hpp>

namespace koppel {

class SweepOnCard {
 public:
  // Of a batch of the same model, which says what a failure means. Throws Error `study.no-card`,
  // and as VariedStarts does.
  SweepOnCard(const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
              const Batch& batch, int jobs);

  // How many variants at a time fill the card, with some memory: about two million.
  std::size_t best_count() const;
  // Rows of these variants, after so many steps. Adds the seconds from the variants in memory to
  // their results in memory.
  void run(std::span<const std::size_t> numbers, std::uint64_t steps, BatchRows& rows,
           double& seconds);
  // Right after a run: marks variants that are suspicious, as Batch::advance_and_reduce() does.
  // They step once more for each look before the end.
  void look(const BatchHealth& health, std::span<std::uint8_t> is_suspect);

 private:
  void find_wanted();
  void put_parameters(std::span<const std::size_t> numbers, BatchRows& rows);
  void assemble(std::span<const std::size_t> numbers, BatchRows& rows);
  void make_columns(std::size_t count);
  Card::Variants variants() const;
  void look_at(std::uint64_t step, const BatchHealth& health,
               std::span<std::uint8_t> is_suspect) const;
  double start_number(std::size_t place, std::size_t variant) const;  // in the layout of a step

  const Sweep& sweep_;
  const Batch& batch_;
  std::shared_ptr<const StepModel> step_;
  VariedStarts starts_;
  int jobs_;
  Card card_;
  std::vector<std::size_t> changed_;  // places of parameters that differ
  std::vector<double> common_start_, common_parameters_;
  std::vector<Card::Numbers> states_, parameters_;  // that differ: all or no states; the changed
  std::size_t count_ = 0;                           // of variants in them
  std::uint64_t steps_ = 0;                         // of the last run
  std::vector<std::size_t> column_of_;              // of each parameter among the changed, if it is
  std::vector<Card::Numbers> ends_;                 // states
  std::vector<Card::Wanted> wanted_;  // of each criterion; then last values, for means
  std::vector<std::size_t> last_of_;  // of each criterion, among them
  std::vector<Card::Numbers> first_;  // of each criterion, at the start; or empty
};

}  // namespace koppel
