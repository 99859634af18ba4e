// In the place of hdf5.cpp where HDF5 was not found when configuring.
#include <koppel/results/hdf5.hpp>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

void require_hdf5() {
  throw Error("results.without-hdf5", "this build has no HDF5",
              "trajectory.csv has the same numbers; or install libhdf5-dev and build again; bin/koppel then does so by itself.");
}

void write_hdf5(const std::filesystem::path&, const Trajectory&, const Summary&) { require_hdf5(); }
void write_hdf5(const std::filesystem::path&, const Hdf5Table&) { require_hdf5(); }

}  // namespace koppel
