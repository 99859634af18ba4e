// Files, UDP with a peer on this machine, shared memory with a peer process.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include <koppel/live/peer.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/live/file_channel.hpp>
#include <koppel/live/shared_channel.hpp>
#include <koppel/live/udp_channel.hpp>

#include "tests/error_of.hpp"
#include "tests/live/peer_in_c.h"
#include "tests/live/rig.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::cart;
using testing::HandClock;
using testing::TemporaryFolder;
using testing::with_step;

using testing::error_of;

// ---- Files

class Signals : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto path = folder_.path() / "u.csv";
    std::ofstream(path) << text;
    return path.string();
  }
  TemporaryFolder folder_;
};

TEST_F(Signals, AreHeldFromRowToRow) {
  // s′ after k steps of 0.25: h/2 ΣF, with F = 0 | 0, then 4 from 0.3 on, then −4 from 0.75 on.
  FileChannel file(write("t,F\n0.3,4\n0.75,-4\n"));
  std::vector<double> velocities;
  CallbackChannel sink({}, [&](double, std::span<const double> y) { velocities.push_back(y[1]); });
  Channel* channels[] = {&file, &sink};
  HandClock clock;
  const Model model = cart();
  const LiveResult r =
      run_live(model, with_step(model, 0.25), {.end = 1.25, .clock = &clock}, channels);
  EXPECT_EQ(velocities, (std::vector<double>{0, 0, 0, 0.5, 0, -0.5}));
  EXPECT_EQ(r.notes.back(), "the signals of " + (folder_.path() / "u.csv").string() +
                                " end at t = 0.75 s; inputs kept their last values.");
}

TEST_F(Signals, DecimalTimesMeetMultiplesOfTheStep) {
  std::string text = "t,D\n";
  for (int k = 0; k < 1000; ++k)
    text += std::to_string(k / 1000.0) + "," + std::to_string(k) + "\n";
  FileChannel file(write(text));
  file.open({{"F", "D"}, {}});
  double u[2] = {0, 0};
  for (int k = 0; k < 1000; ++k) {
    file.read(k * 1e-3, u);
    EXPECT_EQ(u[1], k);
  }
}

TEST_F(Signals, MistakesAreNamed) {
  const std::string path = (folder_.path() / "u.csv").string();
  EXPECT_EQ(error_of([&] { FileChannel file(write("time,F\n0,1\n")); }),
            "error[live.bad-signals]: " + path +
                " does not have a first column 't' and columns of inputs.\n"
                "  Its first line is such as: t,F,T");
  EXPECT_EQ(error_of([&] { FileChannel file(write("t,F\n0,1\n1,2\n1,3\n")); }),
            "error[live.bad-signals]: the times in " + path +
                " do not ascend: row 3 has t = 1, after 1.");
  EXPECT_EQ(error_of([&] { FileChannel file(write("t,F\n0,1\n1,\n")); }),
            "error[live.bad-signals]: row 2 of " + path + " has no number for 'F'.");
  EXPECT_EQ(error_of([&] {
              FileChannel file(write("t,torqe\n0,1\n"));
              file.open({{"F", "torque"}, {}});
            }),
            "error[live.unknown-input]: " + path +
                " has a column 'torqe', which is no input of the model.\n"
                "  inputs: F, torque. Did you mean 'torque'?");
}

// ---- UDP

// A socket of the other side.
class Peer {
 public:
  Peer() : socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    socklen_t size = sizeof any;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&any), &size);
    port = ntohs(any.sin_port);
    const timeval patience{5, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Peer() { close(socket_); }

  void send_bytes(int to, const std::vector<unsigned char>& bytes) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(to));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&address),
                     sizeof address),
              static_cast<ssize_t>(bytes.size()));
  }
  void send(int to, std::uint64_t sequence, std::vector<double> values) const {
    std::vector<unsigned char> bytes(koppel_packet_size(static_cast<std::uint32_t>(values.size())));
    koppel_packet_write(bytes.data(), sequence, 0, values.data(),
                        static_cast<std::uint32_t>(values.size()));
    send_bytes(to, bytes);
  }
  std::vector<unsigned char> receive() const {
    std::vector<unsigned char> bytes(2000);
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
  }

  int port = 0;

 private:
  int socket_;
};

TEST(Udp, PacketsHaveTheDocumentedBytes) {
  const double values[] = {1.0, -2.5};
  unsigned char bytes[40];
  ASSERT_EQ(koppel_packet_size(2), 40u);
  koppel_packet_write(bytes, 0x0102030405060708, 0.5, values, 2);
  const unsigned char expected[] = {'K', 'P', 'L', '1', 2, 0, 0,    0,      // head, count
                                    8,   7,   6,   5,   4, 3, 2,    1,      // sequence
                                    0,   0,   0,   0,   0, 0, 0xe0, 0x3f,   // t
                                    0,   0,   0,   0,   0, 0, 0xf0, 0x3f,   // 1
                                    0,   0,   0,   0,   0, 0, 0x04, 0xc0};  // −2.5
  EXPECT_EQ(memcmp(bytes, expected, sizeof bytes), 0);
}

TEST(Peer, IsTheSameInC) {
  const double values[] = {1.0, -2.5};
  unsigned char in_c[40], here[40];
  ASSERT_EQ(packet_in_c(in_c, 0.5, values, 2), 40);
  koppel_packet_write(here, 7, 0.5, values, 2);
  EXPECT_EQ(memcmp(in_c, here, sizeof here), 0);
  std::uint64_t block[3] = {};
  EXPECT_EQ(block_in_c(block, 0.5, 42), 42);
}

TEST(Udp, TheNewestPacketIsUsed) {
  const Peer peer;
  UdpChannel udp(UdpAddress{"127.0.0.1", 0}, {});
  udp.open({{"F", "D"}, {}});
  double u[2] = {9, 9};
  udp.read(0, u);
  EXPECT_EQ(u[0], 9);  // nothing there: as before
  peer.send(udp.port(), 1, {1, 10});
  peer.send(udp.port(), 3, {3, 30});
  peer.send(udp.port(), 2, {2, 20});  // too late
  peer.send(udp.port(), 4, {4});      // not of this model
  peer.send_bytes(udp.port(), {'h', 'i'});
  udp.read(0, u);
  EXPECT_EQ(u[0], 3);
  EXPECT_EQ(u[1], 30);
  peer.send(udp.port(), 0, {5, 50});  // the peer was started anew
  udp.read(0, u);
  EXPECT_EQ(u[0], 5);
  EXPECT_EQ(udp.notes(),
            (std::vector<std::string>{"UDP: 3 packets with inputs were used.",
                                      "UDP: 2 packets were not of the form with 2 inputs.",
                                      "UDP: 1 packets came after newer ones, or out of order, "
                                      "and were dropped."}));
}

TEST(Udp, ListensToThisMachineUnlessToldOtherwise) {
  const auto address_of = [](const UdpChannel& udp) {
    // The kernel's list of sockets: "sl local_address …", addresses in hexadecimal.
    std::ifstream list("/proc/net/udp");
    char port[8];
    std::snprintf(port, sizeof port, ":%04X", udp.port());
    for (std::string line; std::getline(list, line);) {
      if (const std::size_t at = line.find(port); at != line.npos && at < 20) {
        return line.substr(at - 8, 8);
      }
    }
    return std::string("none");
  };
  UdpChannel here(UdpAddress{"", 0}, {}), anywhere(UdpAddress{"*", 0}, {});
  here.open({{"F"}, {}});
  anywhere.open({{"F"}, {}});
  EXPECT_EQ(address_of(here), "0100007F");
  EXPECT_EQ(address_of(anywhere), "00000000");
}

TEST(Udp, ValuesThatAreNotFiniteChangeNothing) {
  const Peer peer;
  UdpChannel udp(UdpAddress{"", 0}, {});
  udp.open({{"F", "D"}, {}});
  double u[2] = {1, 2};
  peer.send(udp.port(), 1, {std::nan(""), 5});
  peer.send(udp.port(), 2, {5, HUGE_VAL});
  udp.read(0, u);
  EXPECT_EQ(u[0], 1);
  EXPECT_EQ(u[1], 2);
  EXPECT_EQ(udp.notes()[1], "UDP: 2 packets had values that are not finite, and were dropped.");
}

TEST(Udp, AForgedSequenceDoesNotLockOutTheRest) {
  const Peer peer;
  UdpChannel udp(UdpAddress{"", 0}, {});
  udp.open({{"F"}, {}});
  double u[1] = {0};
  peer.send(udp.port(), 1, {1});
  peer.send(udp.port(), ~std::uint64_t{0}, {-1});
  udp.read(0, u);
  EXPECT_EQ(u[0], 1);
  peer.send(udp.port(), 2, {2});
  udp.read(0, u);
  EXPECT_EQ(u[0], 2);
}

TEST(PacketWindow, TakesWhatIsAheadAndTheSecondInARowFromAfar) {
  PacketWindow window;
  EXPECT_TRUE(window.takes(5000));
  EXPECT_FALSE(window.takes(5000));  // repeated
  EXPECT_FALSE(window.takes(4950));  // overtaken
  EXPECT_TRUE(window.takes(8000));
  EXPECT_FALSE(window.takes(20000));  // from afar; the sender was away
  EXPECT_TRUE(window.takes(20001));
  EXPECT_FALSE(window.takes(900));  // a forged number, and another
  EXPECT_FALSE(window.takes(77));
  EXPECT_TRUE(window.takes(20002));
  EXPECT_TRUE(window.takes(0));  // anew
  EXPECT_FALSE(window.takes(20003));
  EXPECT_TRUE(window.takes(20004));
  EXPECT_TRUE(PacketWindow().takes(~std::uint64_t{0}));
}

TEST(PacketWindow, OfSignedPacketsOnlyGrows) {
  PacketWindow window(true);
  EXPECT_TRUE(window.takes(5));
  EXPECT_FALSE(window.takes(0));
  EXPECT_FALSE(window.takes(5));
  EXPECT_TRUE(window.takes(1'000'000'000'000));
  EXPECT_FALSE(window.takes(6));
  EXPECT_FALSE(window.takes(7));
}

// The vector of the authors, for 15 bytes 0, 1, …, 14 [Aumasson & Bernstein 2012, appendix A].
TEST(Udp, TagsAreSipHashes) {
  unsigned char key[16], text[15];
  for (int i = 0; i < 16; ++i) key[i] = static_cast<unsigned char>(i);
  for (int i = 0; i < 15; ++i) text[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(koppel_sip_hash(key, text, 15), 0xa129ca6149be45e5u);
}

TEST(Udp, WithAKeyOnlySignedPacketsCount) {
  const Peer peer;
  UdpKey key{};
  key[3] = 7;
  UdpChannel udp(UdpAddress{"", 0}, UdpAddress{"", peer.port}, key);
  udp.open({{"F"}, {"s"}});
  double u[1] = {0};
  const double value[1] = {3};
  std::vector<unsigned char> packet(koppel_packet_size(1) + KOPPEL_PACKET_TAG);
  koppel_packet_write(packet.data(), 1, 0, value, 1);
  koppel_packet_sign(packet.data(), koppel_packet_size(1), key.data());
  std::vector<unsigned char> changed = packet;
  changed[KOPPEL_PACKET_HEAD + 3] ^= 1;
  peer.send_bytes(udp.port(), changed);
  peer.send(udp.port(), 9, {9});
  udp.read(0, u);
  EXPECT_EQ(u[0], 0);
  peer.send_bytes(udp.port(), packet);
  udp.read(0, u);
  EXPECT_EQ(u[0], 3);
  u[0] = 0;
  peer.send_bytes(udp.port(), packet);  // once more
  udp.read(0, u);
  EXPECT_EQ(u[0], 0);
  EXPECT_EQ(udp.notes()[1], "UDP: 2 packets were not signed by the key.");
  udp.write(0, value);
  const auto sent = peer.receive();
  EXPECT_EQ(sent.size(), koppel_packet_size(1) + KOPPEL_PACKET_TAG);
  EXPECT_EQ(koppel_packet_is_signed(sent.data(), sent.size(), key.data()), 1);
}

TEST(Udp, AKeyIsAFileOfDigits) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "key").string();
  std::ofstream(path) << "000102030405060708090a0b0c0d0eff\n";
  EXPECT_EQ(read_key(path)[15], 255);
  std::ofstream(path) << "secret";
  EXPECT_EQ(error_of([&] { read_key(path); }),
            "error[live.bad-key]: " + path +
                " is not a key of UDP.\n"
                "  A key is 32 hexadecimal digits, such as `openssl rand -hex 16` prints.");
}

// A network may deliver a packet twice: the second is not a newer one.
TEST(Udp, ARepeatedPacketIsDropped) {
  const Peer peer;
  UdpChannel udp(UdpAddress{"127.0.0.1", 0}, {});
  udp.open({{"F"}, {}});
  double u[1] = {9};
  peer.send(udp.port(), 7, {1});
  peer.send(udp.port(), 7, {2});
  udp.read(0, u);
  EXPECT_EQ(u[0], 1);
  peer.send(udp.port(), 7, {3});
  udp.read(0, u);
  EXPECT_EQ(u[0], 1);
  peer.send(udp.port(), 8, {4});
  udp.read(0, u);
  EXPECT_EQ(u[0], 4);
  EXPECT_EQ(udp.num_received(), 2);
}

// A controller at the other side: F = −10 s − 6 s′ for every packet that it gets. The loop runs
// against the clock.
TEST(Udp, APeerClosesTheLoop) {
  const Peer peer;
  UdpChannel udp(UdpAddress{"127.0.0.1", 0}, UdpAddress{"127.0.0.1", peer.port});
  std::atomic<int> port{0};
  long answered = 0;
  std::thread controller([&] {
    std::uint64_t next = 0;
    while (true) {
      const auto bytes = peer.receive();
      double y[2], t = 0;
      std::uint64_t sequence = 0;
      if (koppel_packet_read(bytes.data(), bytes.size(), &sequence, &t, y, 2) == 0) return;
      EXPECT_EQ(sequence, next++);
      peer.send(port, sequence + 1, {5 - 10 * y[0] - 6 * y[1], 0});
      ++answered;
      if (t > 1.999) return;
    }
  });
  LiveCallbacks callbacks;
  callbacks.begin = [&](const LiveInfo&) { port = udp.port(); };
  Channel* channels[] = {&udp};
  const Model model = cart();
  const LiveResult r = run_live(model, with_step(model, 2e-3), {.end = 2}, channels, callbacks);
  controller.join();
  EXPECT_EQ(answered, r.steps + 1);
  EXPECT_GT(udp.num_received(), r.steps / 2);
  // Both poles are slower than −1.5/s and the packets a step or so late: near the target 0.5.
  EXPECT_NEAR(r.final[0].second, 0.5, 0.1);
}

TEST(Udp, WrongAddressesAreRefused) {
  EXPECT_EQ(read_address("5000").port, 5000);
  EXPECT_EQ(read_address("rig:5000").host, "rig");
  EXPECT_EQ(error_of([] { read_address("rig:port"); }),
            "error[live.bad-address]: 'rig:port' is not an address of UDP.\n"
            "  Give a port, or host:port, such as 192.168.0.7:5000.");
  const Peer peer;
  EXPECT_EQ(error_of([&] {
              UdpChannel udp(UdpAddress{"127.0.0.1", peer.port}, {});
              udp.open({});
            }),
            "error[live.no-socket]: UDP listening at 127.0.0.1:" + std::to_string(peer.port) +
                " is not possible: Address already in use.\n"
                "  Another program may use the port; choose another.");
}

// ---- Shared memory

std::string memory_name() { return "/koppel-test-" + std::to_string(getpid()); }

// What a program at the other side does: opens the memory, checks it, and controls the cart.
// Returns by the exit code how often it has written.
[[noreturn]] void be_a_peer(const std::string& name) {
  int file = -1;
  for (int k = 0; k < 5000 && file < 0; ++k) {
    file = shm_open(name.c_str(), O_RDWR, 0);
    if (file < 0) usleep(1000);
  }
  if (file < 0) _exit(101);
  auto* words =
      static_cast<std::uint64_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  for (int k = 0; k < 5000 && __atomic_load_n(&words[0], __ATOMIC_ACQUIRE) != KOPPEL_SHARED_MAGIC;
       ++k) {
    usleep(1000);
  }
  if (words[1] != 2 || words[2] != 2) _exit(102);
  if (strcmp(reinterpret_cast<const char*>(words) + words[5], "F\nD\ns\ns'\n") != 0) _exit(103);
  std::uint64_t* const inputs = words + words[3];
  const std::uint64_t* const outputs = words + words[4];
  std::uint64_t last = 0;
  int answers = 0;
  for (int k = 0; k < 100000; ++k) {
    double t = 0, y[2];
    const std::uint64_t sequence = koppel_block_read(outputs, &t, y, 2, 100);
    if (sequence != last && sequence != 0) {
      last = sequence;
      const double u[2] = {5 - 10 * y[0] - 6 * y[1], 0};
      koppel_block_write(inputs, t, u, 2);
      ++answers;
      if (t > 1.99) _exit(answers > 50 ? 0 : 104);
    }
    usleep(100);
  }
  _exit(105);
}

TEST(SharedMemory, APeerProcessClosesTheLoop) {
  const std::string name = memory_name();
  const pid_t child = fork();
  if (child == 0) be_a_peer(name);
  const Model model = cart();
  LiveResult r;
  int status = -1;
  {
    SharedChannel shared(name.substr(1));
    Channel* channels[] = {&shared};
    r = run_live(model, with_step(model, 2e-3), {.end = 2}, channels);
    waitpid(child, &status, 0);
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_NEAR(r.final[0].second, 0.5, 0.1);
  EXPECT_LT(shm_open(name.c_str(), O_RDWR, 0), 0);  // the name is gone
}

// A writer at full speed: what is read is always one of the states that were written.
TEST(SharedMemory, ReadersSeeWholeBlocksOnly) {
  constexpr std::size_t kCount = 50;
  std::vector<std::uint64_t> block(2 + kCount);
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    std::vector<double> values(kCount);
    for (double k = 1; !is_over; ++k) {
      std::fill(values.begin(), values.end(), k);
      koppel_block_write(block.data(), k, values.data(), kCount);
    }
  });
  std::vector<double> seen(kCount);
  double t = 0;
  int reads = 0, torn = 0;
  for (long k = 0; k < 1'000'000'000 && reads < 20000; ++k) {
    if (koppel_block_read(block.data(), &t, seen.data(), kCount, 3) == 0) continue;
    ++reads;
    for (const double value : seen) torn += value != t;
  }
  is_over = true;
  writer.join();
  EXPECT_EQ(reads, 20000);
  EXPECT_EQ(torn, 0);
}

TEST(SharedMemory, ThatIsCutShortIsSurvived) {
  SharedChannel shared(memory_name());
  shared.open({{"F"}, {"s"}});
  const int file = shm_open(memory_name().c_str(), O_RDWR, 0);
  ASSERT_EQ(ftruncate(file, 0), 0);
  close(file);
  double u[1] = {4};
  const double y[1] = {1};
  shared.read(0, u);
  shared.write(0, y);
  EXPECT_EQ(u[0], 4);
  EXPECT_EQ(shared.notes().back(),
            "shared memory: another program has cut it short; inputs kept their last values.");
}

TEST(SharedMemory, OneThatExistsIsAnotherPrograms) {
  SharedChannel first(memory_name()), second(memory_name());
  first.open({{"F"}, {"s"}});
  EXPECT_EQ(error_of([&] {
              second.open({{"F"}, {"s"}});
            }),
            "error[live.no-shared-memory]: shared memory '" + memory_name() +
                "' cannot be made: File exists.\n"
                "  Another program may use it; choose another name, or remove /dev/shm" +
                memory_name() + " if it is left over.");
}

}  // namespace
}  // namespace koppel
