// A sweep on many machines by MPI: rank 0 hands out variants and keeps the rows; all ranks compute.
//
//   rank k → 0   manifest   what it computes, which must be the same everywhere
//   rank k → 0   rows       rows that are computed, and how many variants it wants next
//   0 → rank k   work       their numbers; none: the end
//   rank k → 0   end        all its threads have ended
//
// As many variants are handed out at once as take about a tenth of a second. The loss of a rank
// ends all of them, as MPI has it; the journal has what was computed up to then.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <koppel/study/mpi.hpp>
#include <koppel/study/sweep.hpp>
#include <koppel/study/sweep_manifest.hpp>

namespace koppel {

// What rank 0 did, for those who wonder how many ranks it can serve.
struct MpiLoad {
  std::size_t num_messages = 0;
  double busy_seconds = 0;
};

// Rank 0: computes with `jobs` threads of its own and hands out to the others until the queue is
// empty and all rows are kept, by one thread at a time. False: a request to stop came, here or at
// another rank. Throws what `keep` throws, and Error `study.refused` where another rank has another
// manifest.
bool lead_ranks(const Mpi& mpi, const Sweep& sweep, const Manifest& manifest, SweepQueue& queue,
                int jobs, const std::function<void(std::size_t, std::string_view)>& keep,
                MpiLoad& load);

// Another rank: computes with `jobs` threads what rank 0 says, until it says that all is done.
void follow_leader(const Mpi& mpi, const Sweep& sweep, const Manifest& manifest, int jobs);

}  // namespace koppel
