// SPDX-License-Identifier: Apache-2.0
// What a process asks its agent, and tells it, of the ends of its channels. Threading: any. Failure: as AgentClient.
#pragma once

#include <memory>

#include "machine/control.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/message/detail/channel/ends.hpp"

namespace octavo::detail {

// This process has the end from now on, when this returns. `behind`: where the writer was.
void hold_end(std::uint64_t channel, control::channel_end end, std::uint64_t hop, const std::vector<LeftBehind>& behind);
// The same, or another use, without waiting.
void tell_agent(std::uint64_t channel, control::channel_end end, control::channel_use use, std::uint64_t hop, const Life& to = {});
// edge->end_found() is told when the end has moved at least so often and has a process, or never will; then the edge is looked at.
void find_end(const std::shared_ptr<ChannelEnds>& edge, control::channel_end end);
// edge->channel_over() is told when both ends are gone; then the edge is looked at.
void await_end_of_channel(const std::shared_ptr<ChannelEnds>& edge);

// While it lives, this thread encodes for a queue: an end of a channel is not_supported, before it has left where it is.
class EncodesForQueue : NoCopy {
 public:
  EncodesForQueue() noexcept;
  ~EncodesForQueue();
};

}  // namespace octavo::detail
