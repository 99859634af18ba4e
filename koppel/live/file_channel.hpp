// Inputs from a file of comma-separated values: a first column t, ascending, and columns with the
// names of inputs. Between rows, inputs are held: a step that starts at t has those of the last row
// not after t; before the first row inputs stay what they were. Memory: the file.
#pragma once

#include <filesystem>

#include <koppel/live/channel.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

class FileChannel : public Channel {
 public:
  // Throws Error `live.bad-signals`, and what read_csv does.
  explicit FileChannel(const std::filesystem::path& path);
  void open(const Ports& ports) override;
  void read(double t, std::span<double> u) noexcept override;
  std::vector<std::string> notes() const override;

 private:
  std::string name_;
  Trajectory signals_;
  std::vector<std::size_t> places_;  // among the inputs, of each column but the first
  std::size_t next_ = 0;             // row
  double last_t_ = 0;
};

}  // namespace koppel
