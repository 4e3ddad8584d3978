// SPDX-License-Identifier: Apache-2.0
// What MPI needs for the same: built once with Open MPI, once with MPICH, run by their own mpirun (message/peers.cpp).
//
//   half_trip BYTES COUNT   ping-pong; seconds one way           stream BYTES COUNT   one reused buffer; bytes a second
//   method 0 COUNT          ping-pong with a switch on a method number: seconds there and back, what a remote call is at least
//   isend 0 COUNT           messages of 8 bytes a second, in windows of 1000
//   all 8 COUNT             each to each other, COUNT rounds: messages a second
//   broadcast BYTES COUNT   from when rank 0 begins until the last has it, by the clock that all processes of a host share: the median in seconds
//   idle 0 MILLISECONDS     seconds of processor time that all ranks take together while rank 0 sleeps and the others wait for it
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "answering.hpp"

namespace {

using peer::Request;

int rank() {
  int mine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  return mine;
}
int ranks() {
  int all = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  return all;
}
void send(const void* data, std::size_t bytes, int to) { MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD); }
void receive(void* data, std::size_t bytes, int from) { MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

// Seconds for `count` of it, warm, all having begun.
template <class Act>
double timed(const Request& request, Act act) {
  act(request.warm());
  MPI_Barrier(MPI_COMM_WORLD);
  auto begin = peer::Clock::now();
  act(request.count);
  return peer::seconds_since(begin);
}

double half_trip(const Request& request) {
  std::vector<char> buffer(request.bytes, 1);
  auto act = [&](long count) {
    for (long i = 0; i < count; ++i) {
      if (rank() == 0) send(buffer.data(), request.bytes, 1);
      receive(buffer.data(), request.bytes, 1 - rank());
      if (rank() == 1) send(buffer.data(), request.bytes, 0);
    }
  };
  return timed(request, act) / static_cast<double>(request.count) / 2;
}

struct Call {
  long method, argument;
};
long answer_to(const Call& call, long& sum) {
  switch (call.method) {
    case 0: return sum = call.argument;
    case 1: return sum += call.argument;
    case 2: return sum -= call.argument;
    default: throw std::invalid_argument("no method of this number");
  }
}
double method(const Request& request) {
  auto ask = [](long count) {
    for (long i = 0, answer = 0; i < count; ++i) {
      Call call{1, i};
      send(&call, sizeof call, 1);
      receive(&answer, sizeof answer, 1);
    }
  };
  auto serve = [](long count) {
    for (long i = 0, sum = 0; i < count; ++i) {
      Call call{};
      receive(&call, sizeof call, 0);
      long answer = answer_to(call, sum);
      send(&answer, sizeof answer, 0);
    }
  };
  auto act = [&](long count) { rank() == 0 ? ask(count) : serve(count); };
  return timed(request, act) / static_cast<double>(request.count);
}

double stream(const Request& request) {
  std::vector<char> buffer(request.bytes, 1);
  long done = 0;
  auto act = [&](long count) {
    for (long i = 0; i < count; ++i) rank() == 0 ? send(buffer.data(), request.bytes, 1) : receive(buffer.data(), request.bytes, 0);
    rank() == 0 ? receive(&done, sizeof done, 1) : send(&done, sizeof done, 0);
  };
  return static_cast<double>(request.bytes) * static_cast<double>(request.count) / timed(request, act);
}

double isend(const Request& request) {
  constexpr long window = 1000;
  std::vector<long> values(window, 1);
  std::vector<MPI_Request> requests(window);
  long done = 0;
  auto act = [&](long count) {
    for (long i = 0; i < count; i += window) {
      for (long k = 0; k < window && rank() == 0; ++k) MPI_Isend(&values[k], sizeof(long), MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
      if (rank() == 0) MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
      for (long k = 0; k < window && rank() == 1; ++k) receive(&values[k], sizeof(long), 0);
      rank() == 0 ? receive(&done, sizeof done, 1) : send(&done, sizeof done, 0);
    }
  };
  const long sent = (request.count + window - 1) / window * window;
  return static_cast<double>(sent) / timed(request, act);
}

double all(const Request& request) {
  const int size = ranks();
  std::vector<char> from(request.bytes, 1), to(request.bytes);
  std::vector<MPI_Request> requests(size - 1);
  auto act = [&](long count) {
    for (long i = 0; i < count; ++i) {
      for (int k = 1; k < size; ++k)
        MPI_Isend(from.data(), static_cast<int>(request.bytes), MPI_BYTE, (rank() + k) % size, 0, MPI_COMM_WORLD, &requests[k - 1]);
      for (int k = 1; k < size; ++k) receive(to.data(), request.bytes, MPI_ANY_SOURCE);
      MPI_Waitall(size - 1, requests.data(), MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  return static_cast<double>(size) * (size - 1) * static_cast<double>(request.count) / timed(request, act);
}

double broadcast(const Request& request) {
  std::vector<char> buffer(request.bytes, 1);
  std::vector<double> ends(request.count), last(request.count), begins(request.count);
  const auto now = [] { return std::chrono::duration<double>(peer::Clock::now().time_since_epoch()).count(); };
  const int count = static_cast<int>(request.count);
  for (int i = 0; i < count; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    begins[i] = now();
    MPI_Bcast(buffer.data(), static_cast<int>(request.bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
    ends[i] = now();
  }
  MPI_Reduce(ends.data(), last.data(), count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) last[i] -= begins[i];
  std::nth_element(last.begin(), last.begin() + count / 2, last.end());
  return last[count / 2];
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}
double idle(const Request& request) {
  MPI_Barrier(MPI_COMM_WORLD);
  double before = processor_seconds(), sum = 0;
  long done = 0;
  if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(request.count));
  for (int k = 1; k < ranks() && rank() == 0; ++k) send(&done, sizeof done, k);
  if (rank() != 0) receive(&done, sizeof done, 0);
  double mine = processor_seconds() - before;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_mpi", [&](const std::string& folder) {
    MPI_Init(&argc, &argv);
    if (ranks() == 2) peer::pin(rank());  // more of them are the scheduler's
    peer::answer_all(
        folder, rank(),
        {{"half_trip", half_trip}, {"method", method}, {"stream", stream}, {"isend", isend}, {"all", all}, {"broadcast", broadcast}, {"idle", idle}});
    MPI_Finalize();
  });
}
