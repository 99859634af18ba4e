#include <koppel/live/scheduling.hpp>

#include <sched.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

struct RealTimeGuard::Before {
  int policy = SCHED_OTHER;
  sched_param parameters{};
  cpu_set_t processors{};
  bool has_processors = false, has_policy = false, has_locked = false;
};

namespace {

// Touched once so that the pages of the stack are there.
void touch_stack() {
  constexpr std::size_t kBytes = 256 * 1024, kPage = 4096;
  volatile unsigned char stack[kBytes];
  for (std::size_t i = 0; i < kBytes; i += kPage) stack[i] = static_cast<unsigned char>(i);
  (void)stack[0];
}

}  // namespace

RealTimeGuard::RealTimeGuard(const RealTimeOptions& options) : before_(std::make_unique<Before>()) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    const std::string why = std::strerror(errno);
    restore();
    throw Error("live.not-permitted", fmt::format("{} is refused: {}.", what, why), hint);
  };
  const auto reject = [&](const std::string& what, const std::string& hint) {
    restore();
    throw Error("live.bad-option", what, hint);
  };
  const int most = sched_get_priority_max(SCHED_FIFO);
  if (options.priority < 1 || options.priority > most) {
    reject(fmt::format("the priority is {}.", options.priority),
           fmt::format("It lies between 1 and {}.", most));
  }
  if (options.cpu) {
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    sched_getaffinity(0, sizeof before_->processors, &before_->processors);
    if (*options.cpu >= 0 && *options.cpu < CPU_SETSIZE) {
      CPU_SET(static_cast<std::size_t>(*options.cpu), &wanted);
    }
    if (sched_setaffinity(0, sizeof wanted, &wanted) != 0) {
      reject(fmt::format("processor {} is not there, or not for this process.", *options.cpu),
             "They count from 0.");
    }
    before_->has_processors = true;
  }
  before_->policy = sched_getscheduler(0);
  sched_getparam(0, &before_->parameters);
  sched_param parameters{};
  parameters.sched_priority = options.priority;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    refuse(
        fmt::format("real-time scheduling (SCHED_FIFO, priority {})", options.priority),
        fmt::format("Allow it by a line '@realtime - rtprio {}' in /etc/security/limits.conf, or "
                    "run with the capability CAP_SYS_NICE; or leave out `realtime`.",
                    options.priority));
  }
  before_->has_policy = true;
  if (options.locks_memory) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
      refuse("locking the memory (mlockall)",
             "Allow it by a line '@realtime - memlock unlimited' in /etc/security/limits.conf, or "
             "run with the capability CAP_IPC_LOCK; or leave out `realtime`.");
    }
    before_->has_locked = true;
    touch_stack();
  }
  description_ = fmt::format("SCHED_FIFO, priority {}{}{}", options.priority,
                             options.locks_memory ? ", memory locked" : "",
                             options.cpu ? fmt::format(", processor {}", *options.cpu) : "");
}

RealTimeGuard::~RealTimeGuard() { restore(); }

void RealTimeGuard::restore() {
  if (before_ == nullptr) return;
  if (before_->has_locked) munlockall();
  if (before_->has_policy) sched_setscheduler(0, before_->policy, &before_->parameters);
  if (before_->has_processors) {
    sched_setaffinity(0, sizeof before_->processors, &before_->processors);
  }
  before_.reset();
}

}  // namespace koppel
