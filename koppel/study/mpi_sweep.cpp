#include <koppel/study/mpi_sweep.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/threads.hpp>
#include <koppel/study/sweep_table.hpp>

namespace koppel {
namespace {

using RankClock = std::chrono::steady_clock;

enum RankTag : int { kManifestTag = 1, kRowsTag, kWorkTag, kEndTag };

constexpr std::string_view kStoppedText = "stopped";
constexpr double kGoodChunk = 0.1;  // seconds of work
constexpr std::size_t kMostAtOnce = 64;
constexpr std::chrono::seconds kPatience{5};  // with other ranks, after a request to stop

double elapsed_since(RankClock::time_point begin) {
  return std::chrono::duration<double>(RankClock::now() - begin).count();
}

// Takes a part up to the next separator off a text.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return out;
}

std::size_t leading_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What rank 0 does with the messages of the others. `keep` does not throw.
class Leader {
 public:
  Leader(const Mpi& mpi, const Manifest& manifest, SweepQueue& queue,
         std::function<void(std::size_t, std::string_view)> keep)
      : mpi_(mpi), manifest_(manifest), queue_(queue), keep_(std::move(keep)) {}

  // Answers all that is there.
  void serve() {
    while (const std::optional<Mpi::Message> message = mpi_.poll()) {
      const RankClock::time_point begin = RankClock::now();
      answer(*message);
      ++load_.num_messages;
      load_.busy_seconds += elapsed_since(begin);
    }
  }

  void hand_out_no_more() { has_ended_ = true; }
  bool all_have_ended() const { return num_ended_ == mpi_.size() - 1; }
  bool is_stopped() const { return is_stopped_; }
  const std::optional<Error>& refusal() const { return refusal_; }
  const MpiLoad& load() const { return load_; }

 private:
  void answer(const Mpi::Message& message) {
    switch (message.tag) {
      case kManifestTag: return check(message);
      case kRowsTag: return exchange(message);
      case kEndTag:
        ++num_ended_;
        is_stopped_ = is_stopped_ || message.text == kStoppedText;
        return;
    }
  }

  void check(const Mpi::Message& message) {
    std::string_view text = message.text;
    const std::string_view host = take_part(text, '\n');
    const std::string other = differences(manifest_, std::string(text));
    if (other.empty() || refusal_) return;
    refusal_.emplace(
        "study.refused",
        fmt::format("rank {} on {} computes another sweep: {}.", message.from, host, other),
        "All ranks must run the same program on the same model.");
  }

  void exchange(const Mpi::Message& message) {
    std::string_view text = message.text;
    const std::size_t wanted = leading_number(take_part(text, '\n'));
    while (!text.empty()) {
      const std::string_view line = take_part(text, '\n');
      keep_(leading_number(line), line);
    }
    // Towards the end all shall have something to do.
    const std::size_t fair = queue_.num_left() / (2 * static_cast<std::size_t>(mpi_.size())) + 1;
    std::string work;
    if (wanted > 0 && !has_ended_ && !refusal_) {
      for (const std::size_t number : queue_.take(std::min(wanted, fair))) {
        work += fmt::format("{} ", number);
      }
    }
    mpi_.send(message.from, kWorkTag, work);
  }

  const Mpi& mpi_;
  const Manifest& manifest_;
  SweepQueue& queue_;
  std::function<void(std::size_t, std::string_view)> keep_;
  int num_ended_ = 0;
  bool has_ended_ = false, is_stopped_ = false;
  std::optional<Error> refusal_;
  MpiLoad load_;
};

}  // namespace

bool lead_ranks(const Mpi& mpi, const Sweep& sweep, const Manifest& manifest, SweepQueue& queue,
                int jobs, const std::function<void(std::size_t, std::string_view)>& keep,
                MpiLoad& load) {
  std::mutex keeping;
  std::atomic<bool> ends = false, is_stopped = false, has_computed = false;
  std::exception_ptr problem;
  const auto keep_one = [&](std::size_t number, std::string_view line) {
    const std::lock_guard lock(keeping);
    if (problem) return;
    try {
      keep(number, line);
    } catch (...) {  // noted before others come in
      problem = std::current_exception();
      ends = true;
    }
  };
  Leader leader(mpi, manifest, queue, keep_one);
  {
    std::jthread computing([&] {
      try {
        const bool is_whole =
            run_sweep(sweep, queue, jobs, [&](std::size_t number, const SweepRow& row) {
              keep_one(number, journal_line(sweep, number, row));
              if (ends) throw Stopped{};
            });
        if (!is_whole) is_stopped = ends = true;
      } catch (const Stopped&) {
      } catch (...) {
        const std::lock_guard lock(keeping);
        if (!problem) problem = std::current_exception();
        ends = true;
      }
      has_computed = true;
    });
    RankClock::time_point until = RankClock::time_point::max();
    while (!(has_computed && leader.all_have_ended()) && RankClock::now() < until) {
      leader.serve();
      if (leader.is_stopped()) is_stopped = true;
      if (is_stop_requested()) is_stopped = true;
      if (leader.refusal() || is_stopped) ends = true;
      if (ends && until == RankClock::time_point::max()) {
        leader.hand_out_no_more();
        until = RankClock::now() + kPatience;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  load = leader.load();
  if (leader.all_have_ended()) mpi.finalize();
  if (problem) std::rethrow_exception(problem);
  if (leader.refusal()) throw *leader.refusal();
  return !is_stopped;
}

void follow_leader(const Mpi& mpi, const Sweep& sweep, const Manifest& manifest, int jobs) {
  mpi.send(0, kManifestTag, host_name() + '\n' + to_json(manifest));
  std::mutex talking;
  const auto exchange = [&](const std::string& rows) {
    const std::lock_guard lock(talking);
    mpi.send(0, kRowsTag, rows);
    return mpi.receive(0, kWorkTag).text;
  };
  std::atomic<bool> is_stopped = false;
  const auto work = [&] {
    std::string rows = "1\n";
    for (;;) {
      const std::string numbers = exchange(rows);
      if (numbers.empty()) return;
      const RankClock::time_point begin = RankClock::now();
      std::size_t count = 0;
      rows.clear();
      for (std::string_view rest = numbers; !rest.empty() && !is_stopped;) {
        const std::size_t number = leading_number(take_part(rest, ' '));
        const std::optional<SweepRow> row = run_variant(sweep, number);
        if (!row) {
          is_stopped = true;
          break;
        }
        rows += journal_line(sweep, number, *row) + '\n';
        ++count;
      }
      const double each =
          elapsed_since(begin) / static_cast<double>(std::max(count, std::size_t{1}));
      const double wanted = std::clamp(kGoodChunk / each, 1.0, static_cast<double>(kMostAtOnce));
      rows.insert(0, fmt::format("{}\n", is_stopped ? 0 : static_cast<int>(wanted)));
    }
  };
  {
    const std::vector<std::jthread> others = start_threads(jobs - 1, work);
    work();
  }
  mpi.send(0, kEndTag, is_stopped ? kStoppedText : "");
  mpi.finalize();
}

}  // namespace koppel
