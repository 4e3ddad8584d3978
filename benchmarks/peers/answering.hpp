// SPDX-License-Identifier: Apache-2.0
// What all programs have in common that others' libraries are measured with (benchmarks/kit/peer.hpp starts and asks them):
//
//   peer_X [WORDS] FOLDER  each rank waits, asleep, for a line "what bytes count" in the named pipe FOLDER/<rank>;
//                          rank 0 writes the figure, in seconds or per second, to FOLDER/answers
//
// Nothing of a library runs while they wait, so none spins while another is measured. Nothing of Octavo is in these programs.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace peer {

struct Request {
  std::string what;
  std::size_t bytes = 0;
  long count = 0;
  [[nodiscard]] long warm() const { return count / 10 + 1; }
};

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Ranks take the processors that this program may use turn about.
inline void pin(int rank) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) == 0) return;
  int skip = rank % CPU_COUNT(&mine);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mine) == 0 || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

using Measures = std::map<std::string, std::function<double(const Request&)>>;

// Until the program that asks has gone.
inline void answer_all(const std::string& folder, int rank, const Measures& measures) {
  std::ifstream requests(folder + "/" + std::to_string(rank));
  std::ofstream answers;
  if (rank == 0) answers.open(folder + "/answers");
  for (std::string line; std::getline(requests, line);) {
    Request request;
    std::istringstream(line) >> request.what >> request.bytes >> request.count;
    auto found = measures.find(request.what);
    if (found == measures.end()) throw std::invalid_argument("asked for '" + request.what + "', which is not measured here");
    double figure = found->second(request);
    if (rank != 0) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", figure);
    answers << text << std::endl;
  }
}

template <class Body>
int main_of(int argc, char** argv, const char* name, Body body) {
  try {
    if (argc < 2) throw std::invalid_argument("the last argument is a folder with named pipes; ./dev bench message starts this program");
    body(std::string(argv[argc - 1]));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace peer
