// SPDX-License-Identifier: Apache-2.0
// Where the ends of a program's channels are, so that each finds the other: its agent knows it of those whose ends have left the process that made them, until
// both are gone. The agents of other machines pass requests on to it.
//
//   channels.take(requester, request);           // answered now, or when the end that is asked for has arrived
//   channels.process_died(facts);
//
// Threading: the agent's. Failure: usage_error (of an end that another process has), not_supported (of an object with a name).
#pragma once

#include <array>
#include <map>
#include <vector>

#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/peers/routes.hpp"

namespace octavo::agent {

class Channels {
 public:
  // `lasting`: of an agent that outlives programs, and so has no channels.
  Channels(const Routes& routes, const DeathRegister& deaths, bool lasting) : routes_(routes), deaths_(deaths), lasting_(lasting) {}
  void take(const RequesterPtr& requester, const control::ChannelNotice& notice);
  // What a process has said before it died; what it asks for is not answered.
  void hear_last(const ProcessFacts& dead, const control::ChannelNotice& notice);
  void process_died(const ProcessFacts& who);
  [[nodiscard]] std::size_t known() const noexcept { return channels_.size(); }

 private:
  enum class place : std::uint8_t { unknown, held, under_way, gone };
  struct End {
    place is = place::unknown;
    control::end_fate fate = control::end_fate::held;
    Life who;                 // that has it, or gave it away, last
    Life to;                  // where it goes, if that was said
    std::uint64_t hop = 0;    // how often it had moved then
    std::uint64_t gives = 0;  // so often it was said to have left
    std::vector<LeftBehind> behind;
    std::vector<std::pair<RequesterPtr, std::uint64_t>> waiting;  // requesters of it, and for which hop at least
  };
  struct Channel {
    std::array<End, 2> ends;
    std::vector<RequesterPtr> until_over;
  };
  void answer(const RequesterPtr& requester, const control::ChannelRequest& request);
  bool change(End& end, const Life& by, const control::ChannelRequest& said) const;
  static void tell_waiting(End& end);
  [[nodiscard]] static bool is_over(const End& end);
  void forget_if_over(std::uint64_t channel);

  const Routes& routes_;
  const DeathRegister& deaths_;
  const bool lasting_;
  std::map<std::uint64_t, Channel> channels_;
};

}  // namespace octavo::agent
