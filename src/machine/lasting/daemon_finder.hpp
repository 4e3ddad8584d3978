// SPDX-License-Identifier: Apache-2.0
// Reaching the lasting agent of this machine, which may have to be started first, or one that is ending to be waited for: a thread does that while the
// agent goes on, and the requests for it wait.
//
//   DaemonFinder finder({.reach = ..., .post = ..., .met = ..., .fulfil = ...});
//   finder.postpone(requester, request);
//   if (finder.ask_again(lost, asked)) ...           // the lasting agent was lost before it answered: the next one is asked
//
// Threading: the agent's; `reach` is called on the thread that this begins. Failure: the requests that wait are answered with it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "machine/agent/common/requester.hpp"
#include "machine/agent/peers/peer_agent.hpp"
#include "octavo/road/link.hpp"

namespace octavo::agent {

class DaemonFinder {
 public:
  struct Surroundings {
    // `again`: the last one that was reached was lost.
    std::function<std::unique_ptr<road::Link>(bool again, const std::stop_token& stop)> reach;
    std::function<void(std::function<void()> work)> post;
    std::function<void(std::unique_ptr<road::Link> link)> met;
    std::function<void(const RequesterPtr& requester, const control::Notice& request)> fulfil;
  };
  explicit DaemonFinder(Surroundings around);

  void postpone(RequesterPtr requester, const control::Notice& request);
  // True: what the lost agent had not heard, or may hear twice, is postponed.
  bool ask_again(const PeerAgent& lost, const PeerAgent::Asked& asked);

 private:
  void reach(bool again, const std::stop_token& stop);
  void greet(std::unique_ptr<road::Link> link);
  void refuse_all(const control::Failed& why);

  const Surroundings around_;
  std::vector<Postponed> postponed_;
  std::jthread thread_;
};

}  // namespace octavo::agent
