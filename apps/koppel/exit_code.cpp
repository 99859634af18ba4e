#include "apps/koppel/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/printable.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/whole_file.hpp>

#include "apps/koppel/model_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {
namespace {

constexpr const char* kNoMemory = "error[memory]: there is not enough memory for this.";

// Every byte that was printed has been taken; a full disk is noticed here at the latest.
bool is_output_written() {
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  return is_flushed && std::ferror(stdout) == 0 && std::cout.good();
}

}  // namespace

ExitCode exit_code_of(const std::function<void()>& work) {
  ExitCode code = ExitCode::kWrongInput;
  std::string message;
  try {
    work();
    return ExitCode::kDone;
  } catch (const Failure& failure) {
    code = failure.code;
    message = failure.message;
  } catch (const Error& error) {
    message = with_places(error).what();
  } catch (const WriteError& error) {
    code = ExitCode::kNumericsFailed;
    message = std::string("error[results.not-written]: ") + error.what();
  } catch (const Stopped&) {
    code = ExitCode::kNumericsFailed;
    message = "interrupted.";
  } catch (const std::bad_alloc&) {
    code = ExitCode::kNumericsFailed;
    message = kNoMemory;
  } catch (const std::length_error&) {
    code = ExitCode::kNumericsFailed;
    message = kNoMemory;
  } catch (const std::filesystem::filesystem_error& error) {
    message = "error[arguments.wrong]: " + error.path1().string() +
              " cannot be used: " + error.code().message() + ".";
  } catch (const std::exception& error) {
    message = "error[internal]: this is a bug in Koppel (" + std::string(error.what()) +
              ").\n  Please report it, with the model and the command.";
  }
  std::fprintf(stderr, "%s\n", printable(with_flags(message), true).c_str());
  return code;
}

ExitCode finish_output(ExitCode code) {
  if (is_output_written()) return code;
  std::fputs("error: standard output cannot be written.\n", stderr);
  return code == ExitCode::kDone ? ExitCode::kNumericsFailed : code;
}

}  // namespace koppel::app
