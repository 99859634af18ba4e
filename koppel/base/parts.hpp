// A range of work divided among threads, each with one part of it.
//
//   for_parts(rows.size(), {.jobs = 8}, [&](std::size_t part, std::size_t first, std::size_t last)
//   {
//     for (std::size_t i = first; i < last; ++i) …
//   });
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace koppel {

struct PartOptions {
  int jobs = 1;              // threads, at most
  std::size_t least = 1000;  // items that are worth a thread, which takes some 20 µs to start
  std::size_t multiple = 1;  // parts begin at multiples of this
};

inline std::size_t num_parts(std::size_t count, const PartOptions& options) {
  return std::clamp<std::size_t>(count / std::max<std::size_t>(options.least, 1), 1,
                                 static_cast<std::size_t>(std::max(options.jobs, 1)));
}

// work(part, first, last) for each part. What one of them throws is thrown here, after all have
// ended; of several, that of the first part.
template <typename Do>
void for_parts(std::size_t count, const PartOptions& options, Do&& work) {
  const std::size_t parts = num_parts(count, options);
  const std::size_t units = (count + options.multiple - 1) / options.multiple;
  std::vector<std::exception_ptr> problems(parts);
  const auto run = [&](std::size_t part) {
    const auto begin_of = [&](std::size_t p) {
      return std::min(count, units * p / parts * options.multiple);
    };
    try {
      work(part, begin_of(part), begin_of(part + 1));
    } catch (...) {
      problems[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    std::size_t next = 1;
    try {
      for (; next < parts; ++next) others.emplace_back(run, next);
    } catch (const std::system_error&) {  // the system gives no more threads
    }
    run(0);
    for (; next < parts; ++next) run(next);
  }
  for (const std::exception_ptr& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

}  // namespace koppel
