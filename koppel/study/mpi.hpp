// The processes that mpirun started, and messages between them: what Koppel needs of MPI.
//
// The library is Open MPI's, loaded when it is first used. Its handles are addresses of variables
// (MPI_COMM_WORLD is &ompi_mpi_comm_world), and its MPI_Status begins with source, tag and error;
// versions 4 and 5 have the same binary interface, libmpi.so.40. Other libraries (MPICH and its
// relatives) have other handles and are not loaded.
//
// An error of MPI, such as the loss of a process, ends all processes with a message of the library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace koppel {

// How many processes a launcher (mpirun, mpiexec, srun) says that it started; nothing: this process
// was started alone.
std::optional<int> num_launched();

class Mpi {
 public:
  struct Message {
    int from = 0, tag = 0;
    std::string text;
  };

  // Starts MPI, once in a process. Throws Error `study.no-mpi`.
  Mpi();

  int rank() const { return rank_; }
  int size() const { return size_; }

  // One thread at a time calls these.
  void send(int to, int tag, std::string_view text) const;
  Message receive(int from, int tag) const;  // waits for it
  std::optional<Message> poll() const;       // of any process, if there is one
  void finalize() const;                     // all processes come here

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace koppel
