// A trajectory in one HDF5 file: a dataset for every column in the group of its kind
// (/time/t, /outputs/Ax, /energy/energy, …) with the attribute `unit`, and the summary as JSON in
// the attribute `summary` of the file. A slash in a name is written as a colon.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <koppel/results/summary.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

// Throws Error `results.without-hdf5` where HDF5 was left out when configuring or its library is
// not on this machine; writing does too.
void require_hdf5();

// Throws WriteError.
void write_hdf5(const std::filesystem::path& path, const Trajectory& trajectory,
                const Summary& summary);

// Any table: a dataset for every column, /group/name, and a text as an attribute of the file.
struct Hdf5Table {
  struct Part {
    std::string group, name;
    std::vector<double> values;
  };
  std::vector<Part> parts;  // those of a group one after the other
  std::string about, text;  // the attribute
};
// Throws WriteError.
void write_hdf5(const std::filesystem::path& path, const Hdf5Table& table);

}  // namespace koppel
