// SPDX-License-Identifier: Apache-2.0
// For a program whose start is slow (an interpreter): its agent starts it once, and each server of an object is a fork of it.
//
//   int main() {
//     load_what_every_object_needs();
//     octavo::serve_forks_if_asked({});      // returns where nobody asked, and in each fork
//     octavo::serve_if_asked();              // the fork serves its object, and never returns
//   }
//
// A fork is a child of the agent's process, as if that had started it: its environment, directory, standard output and limits are the agent's (another fork
// server is started where the limits were changed, or variables that are read when a program starts, such as LD_PRELOAD). Where objects are made again and
// again, some forks are made ahead: spares, which wait where serve_forks_if_asked() is about to return, and end when none is made for some seconds.
// Threading: the program has one thread, but for what libraries end and start again around a fork() (OpenBLAS); else it forks nothing. Failure: what cannot be
// forked is started from anew by the agent.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace octavo {

// Called around each fork, where they are given: what pthread_atfork would run is not.
struct ForkHooks {
  std::function<void()> before, in_server, in_fork;
  // In a fork whose variables are not those of its fork server: "NAME=value", or "NAME" of one that is gone. The C library's are changed already.
  std::function<void(const std::vector<std::string>& changes)> environment_changed;
  std::function<void()> in_spare;  // in a fork whose object is not known yet: what can be done ahead, and nothing that its object could see
};
// True in a fork. Never returns in the program that forks: it ends with its agent.
bool serve_forks_if_asked(const ForkHooks& hooks);

}  // namespace octavo
