// SPDX-License-Identifier: Apache-2.0
// Where the agents of an engine call back: a listener, and a thread that gives each caller to the link that waits for it.
//
//   Callers callers("tls://10.0.0.1:0", key, terms);
//   auto expected = callers.expect();                    // a link that waits for its first carrier
//   if (!callers.have(expected.session)) callers.give_up(expected.session, "it did not call");
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/road/steady_link.hpp"
#include "road/net/kinds/link_kinds.hpp"

namespace octavo::engine {

class Callers {
 public:
  Callers(const std::string& address, const road::ClusterKey& key, const road::LinkTerms& terms);
  ~Callers();

  struct Expected {
    road::Session session;
    std::unique_ptr<road::SteadyLink> link;
  };
  // `called`: told once, when its agent has called, on the thread that waits for it; it must not wait, nor call this.
  Expected expect(std::function<void()> called = {});
  // The ends of a command whose agent does not call, but answers there (road/net/kinds/link_kinds.hpp, LK-5).
  void bring(Fd from, Fd to);
  [[nodiscard]] const road::LinkKind& kind() const { return road::link_kind_of(address()); }
  // Its agent has called.
  [[nodiscard]] bool have(const road::Session& session);
  // Its link is lost, when what had come is received.
  void give_up(const road::Session& session, const std::string& why);
  // The program ends: no agent is expected any more, and one that calls hears so.
  void send_away();
  [[nodiscard]] std::string address() const { return listener_->address(); }  // where to call

 private:
  struct Known {
    road::Session session;
    std::shared_ptr<road::Carriers> carriers;
    bool called = false;
    std::function<void()> tell = {};
    road::Deadline since = road::Clock::now();
  };
  struct Ends {
    Fd from, to;
  };
  struct Caller {
    std::unique_ptr<road::Link> link;
    road::SteadyGreeting greeting{};
    std::size_t came = 0;
    road::Deadline until;
  };
  void run(const std::stop_token& stop);
  void sleep();
  void take_callers();
  void take_brought();
  bool hear(Caller& caller);
  void connect(Caller& caller);
  void wake() const;
  void forget_old();

  std::unique_ptr<road::LinkListener> listener_;
  Fd event_;
  std::mutex mutex_;
  std::list<Known> known_;
  std::vector<Ends> brought_;
  std::list<Caller> callers_;  // the thread's alone
  std::jthread thread_;
};

}  // namespace octavo::engine
