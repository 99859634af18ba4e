#include "apps/koppel/interrupt.hpp"

#include <csignal>

#include <koppel/base/stop.hpp>

namespace koppel::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note(int) {
  interrupted = 1;
  request_stop();
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // The handler serves once, so that a second signal ends a program that does not listen.
  if (handler == note) action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  set_handler(SIGINT, note);
  set_handler(SIGTERM, note);
}

InterruptGuard::~InterruptGuard() {
  clear_stop();
  set_handler(SIGINT, SIG_DFL);
  set_handler(SIGTERM, SIG_DFL);
}

bool is_interrupted() { return interrupted != 0; }

void ignore_file_size_signal() { set_handler(SIGXFSZ, SIG_IGN); }

}  // namespace koppel::app
