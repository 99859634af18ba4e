// What some work throws: the text of its Error, the message or the id of the first diagnostic; or
// `otherwise` where it throws none.
//
//   EXPECT_EQ(error_of([&] { read_model_text(text, "m.yaml"); }), "m.yaml:1:1: error…");
#pragma once

#include <string>

#include <koppel/base/diagnostic.hpp>

namespace koppel::testing {

template <typename Work>
std::string error_of(Work&& work, const char* otherwise = "") {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return otherwise;
}

template <typename Work>
std::string message_of(Work&& work, const char* otherwise = "") {
  try {
    work();
  } catch (const Error& error) {
    return error.diagnostics().front().message;
  }
  return otherwise;
}

template <typename Work>
std::string id_of(Work&& work, const char* otherwise = "") {
  try {
    work();
  } catch (const Error& error) {
    return error.diagnostics().front().id;
  }
  return otherwise;
}

}  // namespace koppel::testing
