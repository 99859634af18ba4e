#include <koppel/study/card.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/loaded_library.hpp>
#include <koppel/base/scratch_folder.hpp>
#include <koppel/export/cuda.hpp>

extern char** environ;

namespace koppel {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& why, const std::string& hint = {}) {
  throw Error("study.no-card", why, hint);
}

// Its exit status; what it says goes to a file.
int run_program(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return 127;
  int status = 0;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return 126;
  return WEXITSTATUS(status);
}

std::string first_lines(const fs::path& path) {
  std::ifstream file(path);
  std::string out, line;
  for (int i = 0; i < 3 && std::getline(file, line); ++i) out += "\n  " + line;
  return out;
}

// Makes the context of the first card, which the compiled code then uses: some 0.3 s, in which the
// code can be compiled. Where it fails the code does the same and says why. The driver is never
// unloaded, since its context stays.
void start_card() {
  static const auto& driver = *new auto(LoadedLibrary::load("libcuda.so.1"));
  if (driver == nullptr) return;
  const auto initialize = driver->find<int(unsigned)>("cuInit");
  const auto get_device = driver->find<int(int*, int)>("cuDeviceGet");
  const auto retain = driver->find<int(void**, int)>("cuDevicePrimaryCtxRetain");
  if (initialize == nullptr || get_device == nullptr || retain == nullptr) return;
  int device = 0;
  void* context = nullptr;
  if (initialize(0) == 0 && get_device(&device, 0) == 0) retain(&context, device);
}

}  // namespace

// The functions of NAME.h.
struct CardLibrary {
  using Batch = void;
  ScratchFolder folder;
  std::shared_ptr<const LoadedLibrary> code;
  const char* (*message)(int) = nullptr;
  int (*create)(Batch**, std::int64_t) = nullptr;
  void (*destroy)(Batch*) = nullptr;
  int (*restart)(Batch*) = nullptr;
  int (*set_state)(Batch*, int, const double*, std::int64_t) = nullptr;
  int (*set_parameter)(Batch*, int, const double*, std::int64_t) = nullptr;
  int (*set_input)(Batch*, int, const double*, std::int64_t) = nullptr;
  int (*set_counts)(Batch*, const std::uint64_t*) = nullptr;
  int (*choose_outputs)(Batch*, const int*, int) = nullptr;
  int (*run)(Batch*, std::uint64_t, std::uint64_t, std::uint64_t) = nullptr;
  int (*get_state)(const Batch*, int, double*) = nullptr;
  int (*get_counts)(const Batch*, std::uint64_t*) = nullptr;
  int (*get_failures)(const Batch*, int*) = nullptr;
  int (*get_output)(const Batch*, int, int, double*) = nullptr;
  std::int64_t (*num_at_once)(int) = nullptr;
  int (*allocate_on_host)(void**, std::size_t) = nullptr;
  void (*release_on_host)(void*) = nullptr;

  template <typename F>
  void find(const std::string& name, const char* function, F*& to) {
    to = code->find<F>((name + '_' + function).c_str());
    if (to == nullptr) refuse("the compiled code has no function " + name + '_' + function + '.');
  }

  void load(const fs::path& path, const std::string& name) {
    std::string why;
    code = LoadedLibrary::load(path.c_str(), &why);
    if (code == nullptr) refuse(fmt::format("the compiled code cannot be loaded: {}.", why));
    find(name, "message", message);
    find(name, "create", create);
    find(name, "destroy", destroy);
    find(name, "restart", restart);
    find(name, "set_state", set_state);
    find(name, "set_parameter", set_parameter);
    find(name, "set_input", set_input);
    find(name, "set_counts", set_counts);
    find(name, "choose_outputs", choose_outputs);
    find(name, "run", run);
    find(name, "get_state", get_state);
    find(name, "get_counts", get_counts);
    find(name, "get_failures", get_failures);
    find(name, "get_output", get_output);
    find(name, "num_at_once", num_at_once);
    find(name, "allocate_on_host", allocate_on_host);
    find(name, "release_on_host", release_on_host);
  }

  void check(int failure) const {
    if (failure != 0) refuse(fmt::format("the card: {}.", message(failure)));
  }
};

void* allocate_for_card(const CardLibrary* of, std::size_t bytes) {
  if (of == nullptr) return ::operator new(bytes);
  constexpr int kNoMemory = 1, kNoMemoryOfDriver = 102;  // 100 + cudaErrorMemoryAllocation
  void* memory = nullptr;
  const int failure = of->allocate_on_host(&memory, bytes);
  if (failure == kNoMemory || failure == kNoMemoryOfDriver) throw std::bad_alloc();
  of->check(failure);  // no card, or no driver
  return memory;
}

void release_for_card(const CardLibrary* of, void* memory) {
  of == nullptr ? ::operator delete(memory) : of->release_on_host(memory);
}

Card::Card(const StepModel& model, const Options& options)
    : library_(std::make_shared<CardLibrary>()) {
  const CudaFiles files = write_cuda(model);
  const fs::path& folder = library_->folder.path();
  if (folder.empty()) refuse("no temporary folder can be made.");
  const fs::path source = folder / (model.name + ".cu"), library = folder / "card.so";
  std::ofstream(folder / (model.name + ".h")) << files.header;
  std::ofstream(source) << files.source;
  const char* const named = std::getenv("KOPPEL_NVCC");
  const std::string compiler = named != nullptr && *named != '\0' ? named : "nvcc";
  const fs::path log = folder / "log";
  const std::future<void> started = std::async(std::launch::async, start_card);
  std::vector<std::string> words = {compiler,      "-O3",     "-arch=native",
                                    "-fmad=false", "-shared", "-default-stream=per-thread",
                                    "-Xcompiler",  "-fPIC"};
  if (!options.reduces) words.emplace_back("-DKOPPEL_NEVER_REDUCES");
  words.insert(words.end(), {"-o", library.string(), source.string()});
  const int status = run_program(words, log);
  if (status == 127) {
    refuse(fmt::format("'{}', the compiler for graphics cards, is not found.", compiler),
           "Install the CUDA toolkit, or name its compiler in the environment as KOPPEL_NVCC; "
           "without a card, use the processor.");
  }
  if (status != 0) {
    refuse(fmt::format("'{}' does not compile the step:{}", compiler, first_lines(log)));
  }
  library_->load(library, model.name);
  results_.failures = std::vector<int, CardAllocator<int>>(CardAllocator<int>(library_));
}

Card::~Card() = default;

Card::Numbers Card::make_numbers(std::size_t count) const {
  return Numbers(count, CardAllocator<double>(library_));
}

std::size_t Card::num_at_once() const { return static_cast<std::size_t>(library_->num_at_once(0)); }

Card::Copies::Copies(const Card& card, std::size_t count)
    : of_(*card.library_), batch_(nullptr, of_.destroy) {
  CardLibrary::Batch* created = nullptr;
  of_.check(of_.create(&created, static_cast<std::int64_t>(count)));
  batch_.reset(created);
}

void Card::Copies::restart() { of_.check(of_.restart(batch_.get())); }

void Card::Copies::set_state(std::size_t place, std::span<const double> values) {
  of_.check(of_.set_state(batch_.get(), static_cast<int>(place), values.data(),
                          static_cast<std::int64_t>(values.size())));
}

void Card::Copies::set_parameter(std::size_t place, std::span<const double> values) {
  of_.check(of_.set_parameter(batch_.get(), static_cast<int>(place), values.data(),
                              static_cast<std::int64_t>(values.size())));
}

void Card::Copies::set_input(std::size_t place, std::span<const double> values) {
  of_.check(of_.set_input(batch_.get(), static_cast<int>(place), values.data(),
                          static_cast<std::int64_t>(values.size())));
}

void Card::Copies::set_counts(std::span<const std::uint64_t> counts) {
  of_.check(of_.set_counts(batch_.get(), counts.data()));
}

void Card::Copies::run(std::uint64_t steps) { of_.check(of_.run(batch_.get(), steps, 0, 0)); }

void Card::Copies::get_state(std::size_t place, std::span<double> values) const {
  of_.check(of_.get_state(batch_.get(), static_cast<int>(place), values.data()));
}

void Card::Copies::get_counts(std::span<std::uint64_t> counts) const {
  of_.check(of_.get_counts(batch_.get(), counts.data()));
}

void Card::Copies::get_failures(std::span<int> failures) const {
  of_.check(of_.get_failures(batch_.get(), failures.data()));
}

void Card::Copies::get_output(std::size_t output, std::span<double> values) const {
  of_.check(of_.get_output(batch_.get(), static_cast<int>(output), static_cast<int>(Which::Final),
                           values.data()));
}

// Parts of many variants run side by side, each in a thread and a stream of its own, so that the
// card computes some while others are on their way to it or back. It begins when the first part is
// there, which fills it once; the others keep it busy.
void Card::divide(std::size_t count) {
  constexpr std::size_t kMostParts = 4, kWhole = 50'000;
  parts_.clear();
  const std::size_t first = std::max(num_at_once(), kWhole);
  const std::size_t others = count > first ? std::min(count / first - 1, kMostParts - 1) : 0;
  std::size_t begin = 0;
  for (std::size_t p = 0; p <= others; ++p) {
    const std::size_t end = others == 0 ? count : first + (count - first) * p / others;
    parts_.push_back({begin, end - begin, Copies(*this, end - begin)});
    begin = end;
  }
  size_ = count;
}

void Card::make_room(std::size_t count, std::size_t num_wanted) {
  if (size_ != count) divide(count);
  results_.failures.resize(count);
  results_.counts.resize(count);
  results_.values.resize(num_wanted, make_numbers(0));
  for (Numbers& values : results_.values) values.resize(count);
}

void Card::run(Part& part, const Job& job) {
  const CardLibrary& of = *library_;
  Copies& copies = part.copies;
  copies.restart();
  const auto some = [&](std::span<const double> values) {
    return values.size() == 1 ? values : values.subspan(part.first, part.count);
  };
  const Variants& variants = job.variants;
  for (std::size_t i = 0; i < variants.states.size(); ++i) {
    copies.set_state(i, some(variants.states[i]));
  }
  for (std::size_t i = 0; i < variants.parameters.size(); ++i) {
    copies.set_parameter(i, some(variants.parameters[i]));
  }
  std::vector<int> chosen;
  bool reduces = false;
  for (const Wanted& one : job.wanted) {
    const int output = static_cast<int>(one.output);
    if (std::find(chosen.begin(), chosen.end(), output) == chosen.end()) chosen.push_back(output);
    reduces = reduces || one.which != Which::Final;
  }
  CardLibrary::Batch* const made = copies.batch_.get();
  of.check(of.choose_outputs(made, chosen.data(), static_cast<int>(chosen.size())));
  of.check(of.run(made, job.steps, 0, reduces ? 1 : 0));
  const auto failures = std::span(results_.failures).subspan(part.first, part.count);
  copies.get_failures(failures);
  if (std::any_of(failures.begin(), failures.end(), [](int failure) { return failure != 0; })) {
    copies.get_counts(std::span(results_.counts).subspan(part.first, part.count));
  }
  for (std::size_t i = 0; i < job.wanted.size(); ++i) {
    of.check(of.get_output(made, static_cast<int>(job.wanted[i].output),
                           static_cast<int>(job.wanted[i].which),
                           results_.values[i].data() + part.first));
  }
}

const Card::Results& Card::run(const Variants& variants, std::uint64_t steps,
                               std::span<const Wanted> wanted) {
  make_room(variants.count, wanted.size());
  const auto before = std::chrono::steady_clock::now();
  const Job job{variants, steps, wanted};
  std::vector<std::future<void>> others;
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    others.push_back(std::async(std::launch::async, [&, p] { run(parts_[p], job); }));
  }
  run(parts_[0], job);
  for (std::future<void>& other : others) other.get();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
  results_.seconds = seconds.count();
  return results_;
}

void Card::get_state(std::size_t place, std::span<double> values) const {
  for (const Part& part : parts_) {
    part.copies.get_state(place, values.subspan(part.first, part.count));
  }
}

}  // namespace koppel
