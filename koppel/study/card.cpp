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
#include <koppel/export/cuda.hpp>
#include <koppel/export/step_model.hpp>

extern char** environ;

namespace koppel {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_card(const std::string& why, const std::string& hint = {}) {
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

// Compiles in the folder.
std::shared_ptr<const LoadedLibrary> compile_for_card(const StepModel& model, bool reduces,
                                                      const fs::path& folder) {
  const CudaFiles files = write_cuda(model);
  if (folder.empty()) refuse_card("no temporary folder can be made.");
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
  if (!reduces) words.emplace_back("-DKOPPEL_NEVER_REDUCES");
  words.insert(words.end(), {"-o", library.string(), source.string()});
  const int status = run_program(words, log);
  if (status == 127) {
    refuse_card(fmt::format("'{}', the compiler for graphics cards, is not found.", compiler),
                "Install the CUDA toolkit, or name its compiler in the environment as KOPPEL_NVCC; "
                "without a card, use the processor.");
  }
  if (status != 0) {
    refuse_card(fmt::format("'{}' does not compile the step:{}", compiler, first_lines(log)));
  }
  std::string why;
  auto code = LoadedLibrary::load(library.c_str(), &why);
  if (code == nullptr) refuse_card(fmt::format("the compiled code cannot be loaded: {}.", why));
  return code;
}

}  // namespace

Card::Card(const StepModel& model, bool reduces)
    : name_(model.name), code_(compile_for_card(model, reduces, folder_.path())) {}

void Card::refuse_symbol(const char* name) const {
  refuse_card("the compiled code has no function " + name_ + '_' + name + '.');
}

void Card::check(int failure) const {
  if (failure != 0) refuse_card(fmt::format("the card: {}.", message(failure)));
}

void* allocate_for_card(const Card* of, std::size_t bytes) {
  if (of == nullptr) return ::operator new(bytes);
  constexpr int kNoMemory = 1, kNoMemoryOfDriver = 102;  // 100 + cudaErrorMemoryAllocation
  void* memory = nullptr;
  const int failure = of->allocate_on_host(&memory, bytes);
  if (failure == kNoMemory || failure == kNoMemoryOfDriver) throw std::bad_alloc();
  of->check(failure);  // no card, or no driver
  return memory;
}

void release_for_card(const Card* of, void* memory) {
  of == nullptr ? ::operator delete(memory) : of->release_on_host(memory);
}

}  // namespace koppel
