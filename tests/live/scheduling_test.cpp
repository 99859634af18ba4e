#include <koppel/live/scheduling.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

std::string error_of(const RealTimeOptions& options) {
  return testing::error_of([&] { const RealTimeGuard guard(options); });
}

// In a process without rights, whoever runs the test.
TEST(RealTime, SaysWhatToDoWhereItIsNotPermitted) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    const std::string text = error_of({.priority = 70});
    _exit(write(pipes[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  char text[1000] = {};
  ASSERT_GT(read(pipes[0], text, sizeof text - 1), 0);
  EXPECT_STREQ(text,
               "error[live.not-permitted]: real-time scheduling (SCHED_FIFO, priority 70) is "
               "refused: Operation not permitted.\n"
               "  Allow it by a line '@realtime - rtprio 70' in /etc/security/limits.conf, or run "
               "with the capability CAP_SYS_NICE; or leave out `realtime`.");
  close(pipes[0]);
  close(pipes[1]);
}

TEST(RealTime, IsGivenAndTakenBackWhereItIsPermitted) {
  const int before = sched_getscheduler(0);
  try {
    const RealTimeGuard guard({.priority = 10, .locks_memory = false});
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(guard.description(), "SCHED_FIFO, priority 10");
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("error[live.not-permitted]"));
  }
  EXPECT_EQ(sched_getscheduler(0), before);
}

TEST(RealTime, RefusesWhatDoesNotExist) {
  EXPECT_EQ(error_of({.priority = 1000}),
            "error[live.bad-option]: the priority is 1000.\n  It lies between 1 and 99.");
  EXPECT_EQ(error_of({.priority = 10, .cpu = 1000}),
            "error[live.bad-option]: processor 1000 is not there, or not for this process.\n  They "
            "count from 0.");
}

}  // namespace
}  // namespace koppel
