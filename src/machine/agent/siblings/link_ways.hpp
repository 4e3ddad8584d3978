// SPDX-License-Identifier: Apache-2.0
// Links between siblings by the kinds of road/net/kinds/link_kinds.hpp, with the same key as the link to the program, and steady ones: a connection that breaks
// is made again.
//
//   auto ways = std::make_shared<LinkWays>(LinkWays::Terms{.place = [] { return "tls://10.0.0.2:0"; }, .key = key, .silence = 10s});
//
// It listens from its first invitation on, on a thread of its own, which asks `place` where.
// Threading, failure: as SiblingWays.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "machine/agent/siblings/ways.hpp"
#include "octavo/road/tls_link.hpp"
#include "road/net/link_kind.hpp"

namespace octavo::engine {
class Callers;
}

namespace octavo::agent {

class LinkWays final : public SiblingWays {
 public:
  struct Terms {
    std::function<std::string()> place;  // as road::listen() takes it; it may throw, and take a while
    road::ClusterKey key;
    std::chrono::milliseconds silence{10'000};
    std::string machine;  // this one, as LinkTerms
  };
  explicit LinkWays(Terms terms);
  ~LinkWays() override;  // its links end at once, and leave nothing behind

  void invite(Ready ready, Came came) override;
  void call(const Place& place, Came came) override;

  // Where an agent is to listen that was told to call its program at `program`: only where the program's machine reaches it. Empty: it has no links but
  // with the program (its bytes go by its command).
  static std::function<std::string()> place_beside(const std::string& program, const std::string& machine);

 private:
  class Calling;
  struct Asked {
    Ready ready;
    Came came;
  };
  void listen();
  void answer(const Asked& asked);
  void note(const road::SteadyLink& link);

  const Terms terms_;
  std::mutex mutex_;
  std::vector<Asked> waiting_;  // until it listens
  bool begun_ = false;
  std::string why_none_;  // it does not listen
  std::unique_ptr<engine::Callers> callers_;
  std::vector<std::weak_ptr<road::Carriers>> links_;
  std::jthread beginning_;
};

}  // namespace octavo::agent
