// The side of the ranks that compute; and how ranks find each other.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/threads.hpp>
#include <koppel/study/sweep_journal.hpp>
#include <koppel/study/sweep_ranks.hpp>

namespace koppel {
namespace {

constexpr std::chrono::seconds kPatience{60};  // until rank 0 has left its address

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::optional<int> number_in(const char* name) {
  const std::string text = variable(name);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

struct Address {
  std::string host, port, token;
};

std::optional<Address> read_address(const std::filesystem::path& meeting) {
  std::ifstream in(meeting);
  Address out;
  if (in >> out.host >> out.port >> out.token) return out;
  return {};
}

// A socket, or −1.
int connect_to(const Address& address) {
  std::array<char, 256> own{};
  ::gethostname(own.data(), own.size() - 1);
  const std::string host = address.host == own.data() ? "127.0.0.1" : address.host;
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), address.port.c_str(), &hints, &found) != 0) return -1;
  int out = -1;
  for (const addrinfo* each = found; each != nullptr && out < 0; each = each->ai_next) {
    const int socket = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    if (::connect(socket, each->ai_addr, each->ai_addrlen) == 0) {
      out = socket;
    } else {
      ::close(socket);
    }
  }
  ::freeaddrinfo(found);
  const int on = 1;
  if (out >= 0) ::setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return out;
}

// A line at a time, over a socket that is closed at the end.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { ::close(socket_); }

  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // Nothing: the other side is gone, or a request to stop came.
  std::optional<std::string> receive() {
    for (;;) {
      if (const std::size_t end = in_.find('\n'); end != std::string::npos) {
        std::string line = in_.substr(0, end);
        in_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> bytes;
      const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (count < 0 && errno == EINTR && !is_stop_requested()) continue;
      if (count <= 0) return {};
      in_.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int socket_;
  std::string in_;
};

std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> out;
  while (!text.empty()) {
    text.remove_prefix(text.find_first_not_of(' ') == text.npos ? text.size()
                                                                : text.find_first_not_of(' '));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    out.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return out;
}

}  // namespace

std::optional<Rank> rank_from_environment() {
  struct RankNames {
    const char *number, *size, *job, *part;
  };
  constexpr RankNames kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"},
      {"PMI_RANK", "PMI_SIZE", "PMI_JOBID", "HYDRA_LAUNCHER_JOBID"},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"},
  };
  for (const RankNames& names : kLaunchers) {
    const std::optional<int> number = number_in(names.number), size = number_in(names.size);
    if (!number || !size || *number < 0 || *number >= *size) continue;
    return Rank{*number, *size, variable(names.job) + '.' + variable(names.part)};
  }
  return {};
}

std::filesystem::path meeting_place(const std::filesystem::path& folder, const Rank& rank) {
  return folder / fmt::format(".leader-{:08x}", checksum(rank.job));
}

bool work_for_leader(const Sweep& sweep, int jobs, const Rank& rank, std::string_view manifest,
                     const std::filesystem::path& folder, const LineOf& line_of) {
  const std::filesystem::path meeting = meeting_place(folder, rank);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  const auto meet = [&]() -> std::pair<int, std::string> {
    while (!is_stop_requested() && std::chrono::steady_clock::now() < until) {
      if (const std::optional<Address> address = read_address(meeting)) {
        if (const int socket = connect_to(*address); socket >= 0) return {socket, address->token};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {-1, ""};
  };
  std::atomic<bool> is_whole = true;
  std::mutex noting;
  std::string refusal;
  const auto work = [&] {
    const auto [socket, token] = meet();
    if (socket < 0) {
      const std::lock_guard lock(noting);
      if (!is_stop_requested()) refusal = "leader";
      is_whole = false;
      return;
    }
    Line line(socket);
    line.send(fmt::format("hello {} {:08x}\n", token, checksum(manifest)));
    for (;;) {
      const std::optional<std::string> said = line.receive();
      if (said && *said == "end") return;
      if (!said || !said->starts_with("do ")) {
        const std::lock_guard lock(noting);
        is_whole = false;
        refusal = said ? *said : is_stop_requested() ? "" : "lost";
        return;
      }
      std::string out;
      for (const std::size_t number : numbers_in(std::string_view(*said).substr(3))) {
        const std::optional<SweepRow> row = run_variant(sweep, number);
        if (!row) {
          is_whole = false;
          return;
        }
        out += "row " + line_of(number, *row) + '\n';
      }
      line.send(out + "next\n");
    }
  };
  {
    const std::vector<std::jthread> others = start_threads(jobs - 1, work);
    work();
  }
  if (refusal == "leader") {
    throw Error("study.no-leader",
                fmt::format("rank {} found no rank 0 at {}.", rank.number, meeting.string()),
                "All ranks need the same folder, on a file system that they share.");
  }
  if (refusal == "lost") {
    throw Error("study.no-leader", fmt::format("rank {} has lost rank 0.", rank.number),
                "Start the same sweep again to continue.");
  }
  if (!refusal.empty()) {
    throw Error("study.refused",
                fmt::format("rank 0 refused rank {}: {}", rank.number,
                            refusal.substr(refusal.find(' ') + 1)),
                "All ranks must run the same program on the same model.");
  }
  return is_whole;
}

}  // namespace koppel
