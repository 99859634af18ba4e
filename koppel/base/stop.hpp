// A request to stop, for work that takes long: Ctrl-C of a program, noted in its signal handler.
//
// Integrations stop by it with what they have reached (Outcome::Status::Stopped). Other work, such
// as compiling functions and iterations of analyses, asks check_stop() now and then, and is
// abandoned by an exception.
#pragma once

namespace koppel {

// Thrown by check_stop(). No Error: nothing is wrong with the input.
struct Stopped {};

void request_stop() noexcept;  // may be called by a signal handler
void clear_stop() noexcept;    // what comes now is done in full, such as writing results
bool is_stop_requested() noexcept;
void check_stop();  // throws Stopped

}  // namespace koppel
