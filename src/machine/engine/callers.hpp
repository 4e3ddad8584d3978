// SPDX-License-Identifier: Apache-2.0
// Where the agents of an engine call back: a listener, and a thread that gives each caller to the link that waits for it.
//
//   Callers callers("10.0.0.1", 0, silence);
//   auto link = callers.expect(Clock::now() + 20s);      // a link that waits for its first carrier
//   callers.watch(pidfd, [] { ... });                             // on its thread, once, when this is readable
#pragma once

#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "octavo/base/fd.hpp"
#include "octavo/road/steady_link.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::engine {

class Callers {
 public:
  Callers(const std::string& address, std::uint16_t port, std::chrono::milliseconds silence);
  ~Callers();

  struct Expected {
    road::Session session;
    std::unique_ptr<road::SteadyLink> link;
  };
  Expected expect(road::Deadline until);
  // Whatever it had is lost, when what had come is received.
  void give_up(const road::Session& session, const std::string& why);
  void watch(int descriptor, std::function<void()> readable);
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] const road::ClusterKey& key() const { return key_; }

 private:
  struct Known {
    road::Session session;
    std::shared_ptr<road::Carriers> carriers;
    bool called = false;
    road::Deadline until;  // if nobody has called by then, nobody will
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
  bool hear(Caller& caller);
  void connect(Caller& caller);
  void look_at_clock();
  void wake() const;

  road::ClusterKey key_ = road::ClusterKey::make();
  road::TlsListener listener_;
  Fd event_;
  std::mutex mutex_;
  std::list<Known> known_;
  std::map<int, std::function<void()>> watched_;
  std::list<Caller> callers_;  // the thread's alone
  std::jthread thread_;
};

}  // namespace octavo::engine
