// SPDX-License-Identifier: Apache-2.0
// A program that measures somebody else's library: started once, asked for one figure at a time, asleep between (peers/answering.hpp).
//
//   Peer mpi({"mpirun", "-np", "2", "peer_openmpi"}, 2);        // nothing runs yet
//   double seconds = mpi.ask("half_trip", 8, 20000);
//
// Failure: what went wrong is thrown (std::runtime_error), each time again; nothing here waits longer than `starting` and `measuring`.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

class Peer {
 public:
  // A folder with named pipes is the last argument.
  Peer(std::vector<std::string> command, int ranks) : command_(std::move(command)), ranks_(ranks) {}
  // One that is not here: asking says why.
  explicit Peer(std::string missing) : failed_(std::move(missing)) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { stop(); }

  double ask(const std::string& what, std::size_t bytes, long count);
  void stop() noexcept;  // the next question starts it again

  static constexpr std::chrono::seconds starting{40}, measuring{15}, ending{3};

 private:
  void start();
  void run();
  double answer(std::chrono::milliseconds longest);
  bool ends_within(std::chrono::milliseconds time) const;
  [[noreturn]] void fail(const std::string& why);
  [[nodiscard]] std::string last_words() const;

  std::vector<std::string> command_;
  int ranks_ = 0;
  std::string failed_, folder_;
  std::vector<int> requests_;
  int answers_ = -1, end_ = -1;
  pid_t pid_ = -1;
};

// A program of peers/ that was built: `before` in front of it, `after` behind it; else one that says which packages are missing.
std::unique_ptr<Peer> installed_peer(const std::string& program, const std::string& packages, std::vector<std::string> before, int ranks,
                                     const std::vector<std::string>& after = {});
// Not bound by mpirun: the ranks bind themselves (peers/answering.hpp), to the two processors that this program may use.
std::unique_ptr<Peer> open_mpi(int ranks, const std::vector<std::string>& options);

}  // namespace bench
