// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of channels.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "octavo/machine/left_behind.hpp"

namespace octavo::control {

enum class channel_end : std::uint8_t { writer, reader };
enum class channel_use : std::uint8_t {
  hold,  // the requester has this end: answered Done
  give,  // the requester has it no more, it is on its way to another process: answered Done
  aim,   // of one that was given: it goes to the process `to`: answered Done
  lost,  // it has not arrived there, and never will: answered Done
  drop,  // the requester has it, and ends it: answered Done
  wait,  // answered Done, after all that was answered before
  over,  // answered Done, when both ends are gone
  find   // answered ChannelAt, when a process has it, or none ever will
};
// Process to agent, and on to the program's agent. `channel`: its number. `hop`: how often the end had moved when it came to the requester, which sorts what
// several processes say of it; of `find`: at least so often.
struct ChannelRequest {
  std::uint64_t request = 0, channel = 0;
  channel_end end = channel_end::writer;
  channel_use use = channel_use::hold;
  std::uint64_t hop = 0;
  Life to;
  std::vector<LeftBehind> behind;  // of `hold`: where the writer was
};
// What became of an end: a process has it; or none will again, for that process has dropped it, or died with it, or it was lost on its way from there.
enum class end_fate : std::uint8_t { held, dropped, died, lost };
struct ChannelAt {
  std::uint64_t request = 0;
  Life who;
  end_fate fate = end_fate::held;
  std::uint64_t hop = 0;
  std::vector<LeftBehind> behind;  // as its holder, or the last one, has said
};

using ChannelNotice = std::variant<ChannelRequest, ChannelAt>;

}  // namespace octavo::control
