#include <koppel/live/shared_channel.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <koppel/live/peer.h>
#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

constexpr std::size_t kHead = 8;    // words before the first block
constexpr std::size_t kLine = 8;    // words of a cache line: blocks do not share one
constexpr std::size_t kPrefix = 2;  // words of a block before its values

std::size_t whole_lines(std::size_t words) { return (words + kLine - 1) / kLine * kLine; }

[[noreturn]] void refuse(const std::string& name, const std::string& hint = "") {
  throw Error("live.no-shared-memory",
              fmt::format("shared memory '{}' cannot be made: {}.", name, std::strerror(errno)),
              hint);
}

}  // namespace

SharedChannel::SharedChannel(const std::string& name)
    : name_(name.starts_with('/') ? name : '/' + name) {}

SharedChannel::~SharedChannel() {
  if (memory_ == nullptr) return;
  guard_.reset();
  munmap(memory_, size_);
  shm_unlink(name_.c_str());
}

void SharedChannel::open(const Ports& ports) {
  std::string names;
  for (const auto* list : {&ports.inputs, &ports.outputs}) {
    for (const std::string& port : *list) names += port + '\n';
  }
  const std::size_t inputs_at = kHead,
                    outputs_at = inputs_at + whole_lines(kPrefix + ports.inputs.size()),
                    names_at = outputs_at + whole_lines(kPrefix + ports.outputs.size());
  size_ = names_at * sizeof(std::uint64_t) + names.size() + 1;

  const int file = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) {
    const bool exists = errno == EEXIST;
    refuse(name_, exists ? fmt::format("Another program may use it; choose another name, or remove "
                                       "/dev/shm{} if it is left over.",
                                       name_)
                         : "");
  }
  const bool has_size = ftruncate(file, static_cast<off_t>(size_)) == 0;
  void* const memory =
      has_size ? mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) {
    shm_unlink(name_.c_str());
    refuse(name_);
  }
  memory_ = static_cast<std::uint64_t*>(memory);
  guard_.emplace(memory_, size_);
  inputs_ = memory_ + inputs_at;
  outputs_ = memory_ + outputs_at;
  memory_[1] = ports.inputs.size();
  memory_[2] = ports.outputs.size();
  memory_[3] = inputs_at;
  memory_[4] = outputs_at;
  memory_[5] = names_at * sizeof(std::uint64_t);
  memory_[6] = size_;
  std::memcpy(memory_ + names_at, names.data(), names.size());
  __atomic_store_n(&memory_[0], KOPPEL_SHARED_MAGIC, __ATOMIC_RELEASE);
  values_.resize(ports.inputs.size());
}

void SharedChannel::read(double, std::span<double> u) noexcept {
  constexpr int kTries = 3;
  double t = 0;
  const std::uint64_t sequence =
      koppel_block_read(inputs_, &t, values_.data(), values_.size(), kTries);
  if (sequence == 0) {
    if (__atomic_load_n(&inputs_[0], __ATOMIC_RELAXED) != 0) ++num_busy_;
    return;
  }
  if (!std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); })) {
    ++num_not_finite_;
    return;
  }
  if (sequence != sequence_) ++num_changes_;
  sequence_ = sequence;
  std::copy(values_.begin(), values_.end(), u.begin());
}

void SharedChannel::write(double t, std::span<const double> y) noexcept {
  koppel_block_write(outputs_, t, y.data(), y.size());
}

std::vector<std::string> SharedChannel::notes() const {
  std::vector<std::string> out;
  if (!values_.empty()) {
    out.push_back(fmt::format("shared memory: inputs were new at {} of the steps.", num_changes_));
  }
  if (num_busy_ > 0) {
    out.push_back(
        fmt::format("shared memory: the peer was writing at {} of the steps, which kept the inputs "
                    "before.",
                    num_busy_));
  }
  if (num_not_finite_ > 0) {
    out.push_back(
        fmt::format("shared memory: inputs were not finite at {} of the steps, which kept the "
                    "inputs before.",
                    num_not_finite_));
  }
  if (guard_ && guard_->is_gone()) {
    out.push_back(
        "shared memory: another program has cut it short; inputs kept their last values.");
  }
  return out;
}

}  // namespace koppel
