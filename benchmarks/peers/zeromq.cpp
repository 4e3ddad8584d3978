// SPDX-License-Identifier: Apache-2.0
// ZeroMQ between two processes: two PAIR sockets. The program starts the second one itself.
//
//   peer_zeromq FOLDER                               by ipc
//   peer_zeromq ADDRESS THERE plain|curve FOLDER     by TCP, the second process in the network namespace whose file is THERE
//
//   half_trip BYTES COUNT   ping-pong; seconds one way           stream BYTES COUNT   one reused buffer; bytes a second
//   asleep 8 COUNT          there and back, in seconds, each when both had gone to sleep
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <thread>
#include <vector>

#include "answering.hpp"

namespace {

using peer::Request;

struct Road {
  std::string address;
  bool encrypted = false;
};

// One pair of keys serves both: what is measured is the cipher.
struct Keys {
  std::array<char, 41> open{}, secret{};
  explicit Keys(bool wanted) {
    if (wanted && zmq_curve_keypair(open.data(), secret.data()) != 0) throw std::runtime_error("this ZeroMQ has no CURVE");
  }
};

class Pair {
 public:
  Pair(const Road& road, const Keys& keys, int rank)
      : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_PAIR)), rank_(rank), largest_(road.encrypted ? 1 << 20 : most_bytes) {
    const int most = 16, now = 0;  // a bounded queue: else all of a stream lies in it
    zmq_setsockopt(socket_, ZMQ_SNDHWM, &most, sizeof most);
    zmq_setsockopt(socket_, ZMQ_RCVHWM, &most, sizeof most);
    zmq_setsockopt(socket_, ZMQ_LINGER, &now, sizeof now);
    if (road.encrypted) encrypt(keys);
    const char* address = road.address.c_str();
    if ((rank == 0 ? zmq_bind(socket_, address) : zmq_connect(socket_, address)) != 0) fail("connecting by " + road.address);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  [[nodiscard]] int rank() const { return rank_; }
  void send(const std::vector<char>& data) {
    for (std::size_t at = 0; at < data.size(); at += largest_)
      if (zmq_send(socket_, data.data() + at, std::min(largest_, data.size() - at), 0) < 0) fail("sending");
  }
  void receive(std::vector<char>& data) {
    for (std::size_t at = 0; at < data.size(); at += largest_)
      if (zmq_recv(socket_, data.data() + at, std::min(largest_, data.size() - at), 0) < 0) fail("receiving");
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 40;
  void encrypt(const Keys& keys) {
    const int server = rank_ == 0 ? 1 : 0;
    zmq_setsockopt(socket_, ZMQ_CURVE_SERVER, &server, sizeof server);
    zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, keys.secret.data(), keys.secret.size());
    if (server == 0) zmq_setsockopt(socket_, ZMQ_CURVE_PUBLICKEY, keys.open.data(), keys.open.size());
    if (server == 0) zmq_setsockopt(socket_, ZMQ_CURVE_SERVERKEY, keys.open.data(), keys.open.size());
  }
  static void fail(const std::string& what) { throw std::runtime_error(what + ": " + zmq_strerror(zmq_errno())); }
  void* context_;
  void* socket_;
  int rank_;
  std::size_t largest_;  // of one message: encrypted ones of 1 MiB go twice as fast as whole pages
};

void enter(const char* namespace_file) {
  const int file = ::open(namespace_file, O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::setns(file, CLONE_NEWNET) != 0) throw std::runtime_error(std::string("the network namespace ") + namespace_file + " cannot be entered");
  ::close(file);
}

void trip(Pair& pair, std::vector<char>& buffer) {
  if (pair.rank() == 0) pair.send(buffer);
  pair.receive(buffer);
  if (pair.rank() == 1) pair.send(buffer);
}

double half_trip(Pair& pair, const Request& request) {
  std::vector<char> buffer(request.bytes, 1);
  for (long i = 0; i < request.warm(); ++i) trip(pair, buffer);
  auto begin = peer::Clock::now();
  for (long i = 0; i < request.count; ++i) trip(pair, buffer);
  return peer::seconds_since(begin) / static_cast<double>(request.count) / 2;
}

double asleep(Pair& pair, const Request& request) {
  std::vector<char> buffer(request.bytes, 1);
  double sum = 0;
  for (long i = 0; i < request.count; ++i) {
    if (pair.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // as limits.hpp rests
    auto begin = peer::Clock::now();
    trip(pair, buffer);
    sum += peer::seconds_since(begin);
  }
  return sum / static_cast<double>(request.count);
}

double stream(Pair& pair, const Request& request) {
  std::vector<char> buffer(request.bytes, 1), done(8);
  auto act = [&](long count) {
    for (long i = 0; i < count; ++i) pair.rank() == 0 ? pair.send(buffer) : pair.receive(buffer);
    pair.rank() == 0 ? pair.receive(done) : pair.send(done);
  };
  act(request.warm());
  auto begin = peer::Clock::now();
  act(request.count);
  return static_cast<double>(request.bytes) * static_cast<double>(request.count) / peer::seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_zeromq", [&](const std::string& folder) {
    const bool by_tcp = argc == 5;
    const Road road = by_tcp ? Road{argv[1], std::string(argv[3]) == "curve"} : Road{"ipc://" + folder + "/zeromq"};
    const Keys keys(road.encrypted);
    pid_t second = ::fork();
    if (second < 0) throw std::runtime_error("the second process cannot be started");
    const int rank = second == 0 ? 1 : 0;
    if (rank == 1) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (rank == 1 && by_tcp) enter(argv[2]);
    peer::pin(rank);
    {
      Pair pair(road, keys, rank);
      auto with = [&pair](double (*measure)(Pair&, const Request&)) { return [&pair, measure](const Request& request) { return measure(pair, request); }; };
      peer::answer_all(folder, rank, {{"half_trip", with(half_trip)}, {"asleep", with(asleep)}, {"stream", with(stream)}});
    }
    if (rank == 0) ::waitpid(second, nullptr, 0);
  });
}
