// A sweep on many machines: rank 0 hands out variants and keeps the rows, the other ranks compute.
//
// The ranks are processes that mpirun or srun started; they talk by TCP. The library of MPI is not
// used, because with it the loss of one rank is the end of all. Rank 0 leaves its address in the
// folder of the sweep, which all ranks see. A conversation, line by line:
//
//   rank k: hello TOKEN MANIFEST        the manifest's checksum: all must compute the same
//   rank 0: do 17 18 19                 or `no REASON`
//   rank k: row 17,0.5,…                the line of the table
//           row 18,…
//           row 19,…
//           next
//   rank 0: do 23                       …, at last `end`
//
// As many variants are handed out at once as take about a tenth of a second. What a rank had in
// hand when it was lost (its connection breaks, or its machine does not answer for a minute) goes
// to the others. A variant that three ranks were lost with is a row that failed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/study/sweep.hpp>

namespace koppel {

struct Rank {
  int number = 0, size = 1;
  std::string job;  // of the launcher: the same for all ranks, others for every start
};
// As mpirun (Open MPI, MPICH) or srun says in the environment; nothing: none of them started this.
std::optional<Rank> rank_from_environment();

// The place where the ranks of a job meet, in the folder of the sweep.
std::filesystem::path meeting_place(const std::filesystem::path& folder, const Rank& rank);

// The side of rank 0. Belongs to one thread.
class SweepServer {
 public:
  using Keep = std::function<void(std::size_t, std::string_view)>;

  // `manifest`: its text. Throws WriteError where the address cannot be left at `meeting`, Error
  // `study.no-network`.
  SweepServer(SweepQueue& queue, std::string_view manifest, std::filesystem::path meeting,
              const Sweep& sweep, Keep keep);
  SweepServer(const SweepServer&) = delete;
  SweepServer& operator=(const SweepServer&) = delete;
  ~SweepServer();  // tells all ranks to end

  // Does what comes within this time. Throws what `keep` throws.
  void serve(std::chrono::milliseconds most);

  std::size_t num_in_hand() const;  // variants that are handed out
  int num_met() const { return num_met_; }
  std::size_t num_messages() const { return num_messages_; }
  double busy_seconds() const { return busy_seconds_; }  // without waiting

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::string in, out;
    std::vector<std::size_t> in_hand;
    bool is_known = false, is_hungry = false;
    Clock::time_point given = {};
    std::size_t num_given = 0;
    double seconds_each = 0;  // of a variant, as measured; 0: not yet
  };

  void accept_all();
  void read(int socket);
  void answer(int socket, Peer& peer, std::string_view line);
  bool take_row(Peer& peer, std::string_view line);
  void hand_out(int socket, Peer& peer);
  void feed_hungry();
  void send(int socket, Peer& peer);
  void lose(int socket);

  SweepQueue& queue_;
  std::filesystem::path meeting_;
  const Sweep& sweep_;
  Keep keep_;
  std::string greeting_;
  int listener_ = -1, poll_ = -1;
  std::map<int, Peer> peers_;            // by socket
  std::map<std::size_t, int> num_lost_;  // with a variant
  int num_met_ = 0;
  std::size_t num_messages_ = 0;
  double busy_seconds_ = 0;
};

// The line of a row.
using LineOf = std::function<std::string(std::size_t, const SweepRow&)>;

// What rank 0 did, for those who wonder how many ranks it can serve.
struct ServerLoad {
  std::size_t num_messages = 0;
  double busy_seconds = 0;
};

// Rank 0: computes with `jobs` threads of its own and hands out to the others, until `num_missing`
// more rows are kept. False: a request to stop came.
bool run_sweep_with_ranks(const Sweep& sweep, SweepQueue& queue, int jobs, const Rank& rank,
                          std::string_view manifest, const std::filesystem::path& folder,
                          std::size_t num_missing, const LineOf& line_of,
                          const SweepServer::Keep& keep, ServerLoad& load);

// Another rank: computes with `jobs` threads what rank 0 says, until it says that all is done.
// False: a request to stop came. Throws Error `study.no-leader`, `study.refused`.
bool work_for_leader(const Sweep& sweep, int jobs, const Rank& rank, std::string_view manifest,
                     const std::filesystem::path& folder, const LineOf& line_of);

}  // namespace koppel
