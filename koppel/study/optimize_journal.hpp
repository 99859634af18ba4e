// The evaluations of an optimisation on disk. The way of an optimiser follows from what it was
// told: one that was killed goes on by being told the same again.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <koppel/study/optimize.hpp>

namespace koppel {

class OptimizeJournal {
 public:
  // Of a model with this fingerprint (sweep_manifest.hpp). Reads what is there. Throws Error
  // `study.other-optimization` where it is of another one. What only says where to look does not
  // count: bounds, starts, tolerances of parameters, numbers of runs.
  OptimizeJournal(const std::filesystem::path& path, const std::string& model_hash,
                  const OptimizeOptions& options);

  std::optional<Evaluation> find(const std::vector<double>& at) const;
  // Keeps what is new. Throws WriteError.
  void append(const Evaluation& evaluation);

 private:
  std::filesystem::path path_;
  std::map<std::vector<double>, Evaluation> known_;  // by the point
  std::ofstream out_;
};

}  // namespace koppel
