// The evaluations of an optimisation on disk. The way of an optimiser follows from what it was
// told: one that was killed goes on by being told the same again.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <koppel/study/optimize.hpp>

namespace koppel::app {

class OptimizeJournal {
 public:
  // Reads what is there. A journal of another optimisation is begun anew.
  OptimizeJournal(const std::filesystem::path& path, const std::string& model,
                  const std::vector<std::string>& settings, const OptimizeOptions& options);

  std::optional<Evaluation> find(const std::vector<double>& at, long number) const;
  // Throws WriteError.
  void append(const Evaluation& evaluation, long number);

 private:
  std::filesystem::path path_;
  std::vector<Evaluation> known_;
  std::ofstream out_;
};

}  // namespace koppel::app
