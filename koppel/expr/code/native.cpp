#include <koppel/expr/code/native.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/scratch_folder.hpp>

extern char** environ;

namespace koppel {
namespace {

namespace fs = std::filesystem;

// No fast-math and no contraction to fused operations: the same roundings as the tape. errno and
// traps are not looked at, which lets sqrt and selections be single instructions. On straight-line
// code -O2 gains nothing over -O1 and takes half as long again. AVX is for its instructions of
// three operands, which save moves.
std::vector<std::string> compiler_flags(NativeKind kind, bool for_this_processor = true) {
  std::vector<std::string> flags = {
      "-std=c99", "-O1", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-fno-math-errno",
      "-fno-trapping-math",
      // Knowing what atan and pow are, compilers make a quotient of sin(atan(x)) and exp2(x) of
      // pow(2, x); knowing the mode of rounding, they compute functions of numbers more
      // accurately than libm: all of these round otherwise than the tape.
      "-fno-builtin-atan", "-fno-builtin-pow", "-frounding-math"};
  if (kind == NativeKind::Series) {
    flags.insert(flags.end(),
                 {"-fno-tree-fre", "-fno-tree-dse", "-fno-tree-dominator-opts", "-fno-dse"});
  }
#ifdef __x86_64__
  if (for_this_processor && __builtin_cpu_supports("avx")) flags.push_back("-mavx");
#else
  static_cast<void>(for_this_processor);
#endif
  return flags;
}

// FNV-1a in 128 bits: no adversary, but never a collision by accident.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      state_ ^= static_cast<unsigned char>(c);
      state_ *= kPrime;
    }
    state_ ^= text.size();
    state_ *= kPrime;
  }
  std::string hex() const {
    std::string out;
    for (int shift = 124; shift >= 0; shift -= 4) {
      out += "0123456789abcdef"[static_cast<unsigned>(state_ >> shift) & 15u];
    }
    return out;
  }

 private:
  __extension__ using Word = unsigned __int128;
  static constexpr Word kPrime = (Word{1} << 88) + 0x13B;
  Word state_ = (Word{0x6C62272E07BB0142u} << 64) + 0x62B821756295C58Du;
};

// A cached library ends in this mark and the hash of all before it. The loader ignores what
// follows the sections of an ELF file.
constexpr std::string_view kMark = "koppel native 1 ";

std::string checksum(std::string_view content) {
  Hash hash;
  hash.add(content);
  return std::string(kMark) + hash.hex();
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

// A new file that nobody else may read or change.
bool write_file(const fs::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::close(file) == 0 && content.empty();
}

// A plain file, no link, that belongs to us and that nobody else can change: others could plant
// code there.
bool is_ours(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         status.st_nlink == 1;
}

bool is_intact(const fs::path& path) {
  if (!is_ours(path)) return false;
  const auto content = read_file(path);
  const std::size_t tail = kMark.size() + 32;
  if (!content || content->size() < tail) return false;
  const std::string_view all = *content;
  return all.substr(all.size() - tail) == checksum(all.substr(0, all.size() - tail));
}

std::string find_compiler() {
  for (const char* variable : {"KOPPEL_CC", "CC"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "cc";
}

// What tells one compiler from another without running it: path, size and time of the program.
std::string identify(const std::string& compiler) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(compiler.find('/') == std::string::npos && path ? path : "");
  std::string folder;
  fs::path program = compiler;
  while (std::getline(folders, folder, ':')) {
    if (access((fs::path(folder) / compiler).c_str(), X_OK) == 0) {
      program = fs::path(folder) / compiler;
      break;
    }
  }
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return {};
  return program.string() + ' ' + std::to_string(status.st_size) + ' ' +
         std::to_string(status.st_mtime);
}

// The process of a compiler, or −1 when it cannot be started. Its messages go to `log`.
pid_t start(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

// Its exit status, or −1 when it was not started.
int finish(pid_t child) {
  if (child < 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int run(const std::vector<std::string>& command, const fs::path& log) {
  return finish(start(command, log));
}

// The cache folder, made when missing and owned by us alone; or nothing.
std::optional<fs::path> cache_folder() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (base != nullptr && *base == '/') {
    folder = fs::path(base) / "koppel";
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".cache" / "koppel";
  } else {
    return std::nullopt;
  }
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;  // somebody else could plant code there
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return folder;
}

std::string first_line(const fs::path& log) {
  std::ifstream file(log);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string why_failed(int status, const std::string& compiler, const fs::path& log) {
  if (status < 0 || status == 127) return "the compiler '" + compiler + "' cannot be run";
  const std::string said = first_line(log);
  return "'" + compiler + "' failed" + (said.empty() ? "" : ": " + said);
}

std::string no_compiler(const std::string& compiler) {
  return "there is no compiler '" + compiler + '\'';
}

// What is to be told about the first failure.
std::mutex failure_guard;
std::string failure;

void note_failure(std::string text) {
  const std::lock_guard lock(failure_guard);
  if (failure.empty()) failure = std::move(text);
}

NativeResult failed(std::string why) {
  note_failure("the C compiler was asked for, but " + why +
               "; machine code is generated instead. KOPPEL_CC names another compiler.");
  return {nullptr, std::move(why), false};
}

NativeResult compile(const std::string& compiler, std::string_view source, NativeKind kind,
                     const std::optional<fs::path>& cached) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return failed("no temporary folder can be made");
  const fs::path code = scratch.path() / "code.c";
  const fs::path library = scratch.path() / "code.so";
  const fs::path log = scratch.path() / "log";
  if (!write_file(code, source)) return failed("the source cannot be written to " + code.string());
  std::vector<std::string> command = {compiler};
  for (std::string& flag : compiler_flags(kind)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-o", library.string(), code.string(), "-lm"});
  const int status = run(command, log);
  if (status != 0) return failed(why_failed(status, compiler, log));
  const auto content = read_file(library);
  if (!content) return failed("'" + compiler + "' wrote no library");

  // Into the cache under a name of our own, then renamed: others see all of it or nothing.
  if (cached) {
    static std::atomic<unsigned> counter{0};
    fs::path own = *cached;
    own += '.' + std::to_string(getpid()) + '.' + std::to_string(counter++);
    std::error_code error;
    if (write_file(own, *content + checksum(*content))) fs::rename(own, *cached, error);
    fs::remove(own, error);  // where one of them failed
  }
  NativeResult result;
  result.library = LoadedLibrary::load(library.c_str());
  if (result.library == nullptr) return failed("the compiled library cannot be loaded");
  return result;
}

}  // namespace

NativeResult compile_native(std::string_view source, NativeKind kind) {
  try {
    const std::string compiler = find_compiler();
    const std::string identity = identify(compiler);
    if (identity.empty()) return failed(no_compiler(compiler));
    Hash hash;
    hash.add(identity);
    for (const std::string& flag : compiler_flags(kind)) hash.add(flag);
    hash.add(source);
    std::optional<fs::path> cached = cache_folder();
    if (cached) {
      *cached /= hash.hex() + ".so";
      if (is_intact(*cached)) {
        if (auto library = LoadedLibrary::load(cached->c_str()))
          return {std::move(library), {}, true};
      }
    }
    return compile(compiler, source, kind, cached);
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

std::string take_native_failure() {
  const std::lock_guard lock(failure_guard);
  return std::exchange(failure, {});
}

namespace {
thread_local CodeTaken taken;
}  // namespace

CodeTaken code_taken_so_far() { return taken; }

void note_generated(std::size_t operations, std::chrono::steady_clock::time_point since) {
  taken.generated += static_cast<long>(operations);
  taken.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}
void note_compiled(std::size_t operations) { taken.compiled += static_cast<long>(operations); }
void note_interpreted(std::size_t operations) {
  taken.interpreted += static_cast<long>(operations);
}

namespace {
std::atomic<bool> has_lacked = false;
}  // namespace

void note_no_executable_memory() {
  has_lacked = true;
  note_failure(kNoExecutableMemory);
}
void note_no_machine_code() { note_failure(kNoMachineCode); }
bool has_lacked_executable_memory() { return has_lacked; }

namespace {

// Compiles the parts of a source side by side. Empty: done, and `objects` are what came of it.
std::string compile_parts(const std::vector<std::string>& compiler, const fs::path& source,
                          int num_parts, const fs::path& folder,
                          std::vector<std::string>& objects) {
  std::vector<pid_t> children;
  const auto log = [&](std::size_t k) { return folder / ("log" + std::to_string(k)); };
  for (int k = 0; k < num_parts; ++k) {
    objects.push_back((folder / (std::to_string(k) + ".o")).string());
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-DKOPPEL_PART=" + std::to_string(k), "-c", "-o", objects.back(),
                                   source.string()});
    children.push_back(start(command, log(static_cast<std::size_t>(k))));
  }
  std::string problem;
  for (std::size_t k = 0; k < children.size(); ++k) {
    const int status = finish(children[k]);  // all of them, whatever becomes of the first
    if (status != 0 && problem.empty()) problem = why_failed(status, compiler[0], log(k));
  }
  return problem;
}

}  // namespace

std::string build_library(const fs::path& source, const fs::path& library, int num_parts) {
  try {
    const ScratchFolder scratch;
    if (scratch.path().empty()) return "no temporary folder can be made";
    std::vector<std::string> compiler = {find_compiler()};
    for (std::string& flag : compiler_flags(NativeKind::Function, false)) {
      compiler.push_back(std::move(flag));
    }
    compiler.emplace_back("-fvisibility=hidden");
    std::vector<std::string> objects = {source.string()};
    constexpr std::uintmax_t kLarge = 500'000;  // bytes: a second of compiling
    if (num_parts > 1 && fs::file_size(source) > kLarge) {
      objects.clear();
      const std::string problem =
          compile_parts(compiler, source, num_parts, scratch.path(), objects);
      if (!problem.empty()) return problem;
    }
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-o", library.string()});
    command.insert(command.end(), objects.begin(), objects.end());
    command.emplace_back("-lm");
    const fs::path log = scratch.path() / "log";
    const int status = run(command, log);
    return status == 0 ? "" : why_failed(status, compiler[0], log);
  } catch (const std::exception& error) {
    return error.what();
  }
}

namespace {
constexpr std::pair<std::string_view, Native> kNames[] = {
    {"auto", Native::Auto}, {"jit", Native::Jit}, {"cc", Native::Cc}, {"off", Native::Off}};
}  // namespace

std::string_view name_of(Native native) {
  return std::find_if(std::begin(kNames), std::end(kNames),
                      [&](const auto& entry) { return entry.second == native; })
      ->first;
}

std::optional<Native> read_native(std::string_view text) {
  for (const auto& [name, value] : kNames) {
    if (name == text) return value;
  }
  return {};
}

Native decide_native(Native asked_for) {
  const char* value = std::getenv("KOPPEL_NATIVE");
  if (value == nullptr || *value == '\0') return asked_for;
  const std::optional<Native> policy = read_native(value);
  if (!policy) {
    throw Error("expr.bad-environment",
                "KOPPEL_NATIVE is '" + std::string(value) + "'; it can be auto, jit, cc or off.");
  }
  return *policy == Native::Auto ? asked_for : *policy;
}

}  // namespace koppel
