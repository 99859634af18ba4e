// In the place of hdf5.cpp where HDF5 was left out when configuring.
#include <koppel/results/hdf5.hpp>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

void require_hdf5() {
  throw Error("results.without-hdf5", "this build has no HDF5",
              "trajectory.csv has the same numbers; or configure with -D KOPPEL_HDF5=ON.");
}

void write_hdf5(const std::filesystem::path&, const Trajectory&, const Summary&) { require_hdf5(); }
void write_hdf5(const std::filesystem::path&, const Hdf5Table&) { require_hdf5(); }

}  // namespace koppel
