#include <koppel/study/mpi.hpp>

#include <charconv>
#include <cstddef>
#include <cstdlib>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/needed_library.hpp>

namespace koppel {
namespace {

// Of mpi.h, as Open MPI has it.
using MpiHandle = void*;
struct MpiStatus {
  int source = 0, tag = 0, error = 0, cancelled = 0;
  std::size_t count = 0;
};
constexpr int kAnyOne = -1;     // MPI_ANY_SOURCE, MPI_ANY_TAG
constexpr int kSerialized = 2;  // MPI_THREAD_SERIALIZED

struct MpiLibrary : NeededLibrary {
  MpiLibrary()
      : NeededLibrary(
            "libmpi.so.40",
            {"study.no-mpi", "Open MPI (libmpi.so.40)",
             "Install it on all machines (Debian: openmpi-bin), or share the work by `part`, "
             "which needs no MPI."}) {}

  int (*init_thread)(int*, char***, int, int*) = find("MPI_Init_thread");
  int (*comm_rank)(MpiHandle, int*) = find("MPI_Comm_rank");
  int (*comm_size)(MpiHandle, int*) = find("MPI_Comm_size");
  int (*send)(const void*, int, MpiHandle, int, int, MpiHandle) = find("MPI_Send");
  int (*recv)(void*, int, MpiHandle, int, int, MpiHandle, MpiStatus*) = find("MPI_Recv");
  int (*probe)(int, int, MpiHandle, MpiStatus*) = find("MPI_Probe");
  int (*iprobe)(int, int, MpiHandle, int*, MpiStatus*) = find("MPI_Iprobe");
  int (*get_count)(const MpiStatus*, MpiHandle, int*) = find("MPI_Get_count");
  int (*finalize)() = find("MPI_Finalize");
  MpiHandle world = find_variable<void>("ompi_mpi_comm_world");
  MpiHandle byte = find_variable<void>("ompi_mpi_byte");
};

// Stays loaded to the end: threads of its own may still run then.
const MpiLibrary& open_mpi() {
  static const auto* const loaded = new MpiLibrary;
  return *loaded;
}

Mpi::Message receive_announced(MpiStatus status) {
  const MpiLibrary& mpi = open_mpi();
  int length = 0;
  mpi.get_count(&status, mpi.byte, &length);
  Mpi::Message out{status.source, status.tag, std::string(static_cast<std::size_t>(length), ' ')};
  mpi.recv(out.text.data(), length, mpi.byte, status.source, status.tag, mpi.world, &status);
  return out;
}

}  // namespace

std::optional<int> num_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits = text;
    int value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error == std::errc() && end == digits.end() && value > 0) return value;
  }
  return {};
}

Mpi::Mpi() {
  const MpiLibrary& mpi = open_mpi();
  int provided = 0;
  if (mpi.init_thread(nullptr, nullptr, kSerialized, &provided) != 0 || provided < kSerialized) {
    throw Error("study.no-mpi", "Open MPI cannot be used: it does not start with threads.",
                "Use an Open MPI with threads, or share the work by `part`, which needs no MPI.");
  }
  mpi.comm_rank(mpi.world, &rank_);
  mpi.comm_size(mpi.world, &size_);
  const int launched = num_launched().value_or(1);
  if (size_ == 1 && launched > 1) {
    throw Error(
        "study.no-mpi",
        fmt::format("{} processes were started, and for Open MPI each of them is alone.", launched),
        "Start them with the mpirun of Open MPI, or by srun with PMIx.");
  }
}

void Mpi::send(int to, int tag, std::string_view text) const {
  const MpiLibrary& mpi = open_mpi();
  mpi.send(text.data(), static_cast<int>(text.size()), mpi.byte, to, tag, mpi.world);
}

Mpi::Message Mpi::receive(int from, int tag) const {
  const MpiLibrary& mpi = open_mpi();
  MpiStatus status;
  mpi.probe(from, tag, mpi.world, &status);
  return receive_announced(status);
}

std::optional<Mpi::Message> Mpi::poll() const {
  const MpiLibrary& mpi = open_mpi();
  MpiStatus status;
  int is_there = 0;
  mpi.iprobe(kAnyOne, kAnyOne, mpi.world, &is_there, &status);
  if (is_there == 0) return {};
  return receive_announced(status);
}

void Mpi::finalize() const { open_mpi().finalize(); }

}  // namespace koppel
