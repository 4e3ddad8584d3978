// SPDX-License-Identifier: Apache-2.0
// ZeroMQ between two processes: two PAIR sockets, ipc. The program starts the second one itself.
//
//   half_trip BYTES COUNT   ping-pong; seconds one way           stream BYTES COUNT   one reused buffer; bytes a second
//   asleep 8 COUNT          there and back, in seconds, each when both had gone to sleep
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <csignal>
#include <thread>
#include <vector>

#include "answering.hpp"

namespace {

using peer::Wish;

class Pair {
 public:
  Pair(const std::string& address, int rank) : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_PAIR)), rank_(rank) {
    const int most = 16, now = 0;  // a bounded queue: else all of a stream lies in it
    zmq_setsockopt(socket_, ZMQ_SNDHWM, &most, sizeof most);
    zmq_setsockopt(socket_, ZMQ_RCVHWM, &most, sizeof most);
    zmq_setsockopt(socket_, ZMQ_LINGER, &now, sizeof now);
    if ((rank == 0 ? zmq_bind(socket_, address.c_str()) : zmq_connect(socket_, address.c_str())) != 0) fail("connecting by ipc");
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  [[nodiscard]] int rank() const { return rank_; }
  void send(const std::vector<char>& data) {
    if (zmq_send(socket_, data.data(), data.size(), 0) < 0) fail("sending");
  }
  void receive(std::vector<char>& data) {
    if (zmq_recv(socket_, data.data(), data.size(), 0) < 0) fail("receiving");
  }

 private:
  static void fail(const std::string& what) { throw std::runtime_error(what + ": " + zmq_strerror(zmq_errno())); }
  void* context_;
  void* socket_;
  int rank_;
};

void trip(Pair& pair, std::vector<char>& buffer) {
  if (pair.rank() == 0) pair.send(buffer);
  pair.receive(buffer);
  if (pair.rank() == 1) pair.send(buffer);
}

double half_trip(Pair& pair, const Wish& wish) {
  std::vector<char> buffer(wish.bytes, 1);
  for (long i = 0; i < wish.warm(); ++i) trip(pair, buffer);
  auto begin = peer::Clock::now();
  for (long i = 0; i < wish.count; ++i) trip(pair, buffer);
  return peer::seconds_since(begin) / static_cast<double>(wish.count) / 2;
}

double asleep(Pair& pair, const Wish& wish) {
  std::vector<char> buffer(wish.bytes, 1);
  double sum = 0;
  for (long i = 0; i < wish.count; ++i) {
    if (pair.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // as limits.hpp rests
    auto begin = peer::Clock::now();
    trip(pair, buffer);
    sum += peer::seconds_since(begin);
  }
  return sum / static_cast<double>(wish.count);
}

double stream(Pair& pair, const Wish& wish) {
  std::vector<char> buffer(wish.bytes, 1), done(8);
  auto act = [&](long count) {
    for (long i = 0; i < count; ++i) pair.rank() == 0 ? pair.send(buffer) : pair.receive(buffer);
    pair.rank() == 0 ? pair.receive(done) : pair.send(done);
  };
  act(wish.warm());
  auto begin = peer::Clock::now();
  act(wish.count);
  return static_cast<double>(wish.bytes) * static_cast<double>(wish.count) / peer::seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_zeromq", [](const std::string& folder) {
    pid_t second = ::fork();
    if (second < 0) throw std::runtime_error("the second process cannot be started");
    const int rank = second == 0 ? 1 : 0;
    if (rank == 1) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    peer::pin(rank);
    {
      Pair pair("ipc://" + folder + "/zeromq", rank);
      auto with = [&pair](double (*measure)(Pair&, const Wish&)) { return [&pair, measure](const Wish& wish) { return measure(pair, wish); }; };
      peer::answer_all(folder, rank, {{"half_trip", with(half_trip)}, {"asleep", with(asleep)}, {"stream", with(stream)}});
    }
    if (rank == 0) ::waitpid(second, nullptr, 0);
  });
}
