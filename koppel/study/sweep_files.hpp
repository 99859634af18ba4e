// The files that a sweep writes when all its variants are computed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <koppel/study/sweep_journal.hpp>

namespace koppel {

// What came out.
struct SweepCounts {
  std::size_t variants = 0, failed = 0, doubtful = 0;
  std::vector<std::string> first;  // lines of some that are not done
  bool has_indices = false, has_hdf5 = false, has_bands = false;
};

// The manifest with what came out.
std::string summary_json(const Manifest& manifest, const SweepCounts& counts);
// "2 of 9 variants failed, 1 is doubtful."; empty where all are done.
std::string count_bad(const SweepCounts& counts);

// sweep.csv, manifest.json, report.html, and as far as they are asked for sweep.h5 and indices.csv.
// With so many threads. Throws WriteError.
SweepCounts write_sweep_files(const std::string& title, bool hdf5, const Sweep& sweep,
                              const Manifest& manifest, const SweepJournal& journal,
                              const std::filesystem::path& folder, int jobs);

}  // namespace koppel
