// SPDX-License-Identifier: Apache-2.0
// What is known of the load of the machines of a service, and when to ask for it.
//
//   MachineLoad load(machines, source);     // the machine of each worker, as a number from 0
//   load.hear();                            // takes the answers that have come
//   if (load.of(0) < load.of(1)) ...        // by machine
//   if (load.due(1)) load.ask(1, worker);   // sends a question; nobody waits
//
// Threading: under its service's lock, but for ask(), which sends, and so goes without.
#pragma once

#include <vector>

#include "octavo/process/service.hpp"

namespace octavo::detail {

class MachineLoad {
 public:
  MachineLoad(std::size_t machines, LoadSource source);
  void hear();
  [[nodiscard]] double of(std::size_t machine) const { return machines_[machine].load; }
  // No question is under way, and the last is old enough. Whoever is told so asks.
  bool due(std::size_t machine);
  [[nodiscard]] future<double> ask(const remote_ptr<Worker>& idle) const;
  void asked(std::size_t machine, future<double> answer);

 private:
  struct Machine {
    double load = 1;  // for each core: one that has not answered may be busy
    bool asking = false;
    std::chrono::steady_clock::time_point next{};
    future<double> answer;
  };
  std::vector<Machine> machines_;
  LoadSource source_;
};

}  // namespace octavo::detail
