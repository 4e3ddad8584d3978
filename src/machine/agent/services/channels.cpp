// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/channels.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/overloaded.hpp"
#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

using control::channel_use, control::end_fate;

void Channels::take(const RequesterPtr& requester, const control::ChannelNotice& notice) {
  std::visit(overloaded{[&](const control::ChannelRequest& request) {
                          if (PeerAgent* hub = routes_.hub(); hub != nullptr && routes_.forward(hub, requester, request)) return;
                          answer(requester, request);
                        },
                        [](const control::ChannelAt&) { refuse_told_to_processes(); }},
             notice);
}

void Channels::answer(const RequesterPtr& requester, const control::ChannelRequest& request) {
  if (lasting_)
    throw not_supported("an end of a channel came to an object with a name, or one that such an object made: channels belong to a program, which they outlive",
                        "Use a mailbox whose name begins with ov://home/");
  // The requester has said before where an end is: a channel that is not known is over.
  if (request.use != channel_use::hold && request.use != channel_use::give && !channels_.contains(request.channel)) {
    if (request.use == channel_use::find) requester->answer(control::ChannelAt{0, requester->facts(), end_fate::dropped, request.hop, {}});
    else requester->answer(control::Done{});
    return;
  }
  auto& channel = channels_[request.channel];
  auto& end = channel.ends[static_cast<std::size_t>(request.end) % 2];
  if (request.use == channel_use::over) return channel.until_over.push_back(requester);
  if (request.use != channel_use::find) {
    const bool changed = change(end, requester->facts(), request);
    requester->answer(control::Done{});
    if (changed || end.is == place::gone) tell_waiting(end);
    return forget_if_over(request.channel);
  }
  end.waiting.emplace_back(requester, request.hop);
  if (end.is == place::held || end.is == place::gone) tell_waiting(end);
}

void Channels::hear_last(const ProcessFacts& dead, const control::ChannelNotice& notice) {
  const auto* said = std::get_if<control::ChannelRequest>(&notice);
  if (said == nullptr || routes_.hub() != nullptr) return;
  if (said->use != channel_use::give && said->use != channel_use::aim && said->use != channel_use::drop) return;
  const auto found = channels_.find(said->channel);
  if (found == channels_.end() && said->use != channel_use::give) return;
  auto& end = channels_[said->channel].ends[static_cast<std::size_t>(said->end) % 2];
  if (change(end, dead, *said) || end.is == place::gone) tell_waiting(end);
  forget_if_over(said->channel);
}

// False: nothing that another process waits for. What is older than what is known already changes nothing.
bool Channels::change(End& end, const Life& by, const control::ChannelRequest& said) const {
  const auto to = [&](place where, end_fate fate) {
    std::tie(end.is, end.fate, end.who, end.to, end.hop) = std::tuple(where, fate, by, Life{}, said.hop);
    return where != place::under_way;
  };
  const bool is_newer = end.is == place::unknown || said.hop > end.hop, is_same = end.is != place::unknown && said.hop == end.hop;
  switch (said.use) {
    case channel_use::hold:
      if (!is_newer) return false;
      end.behind = said.behind;
      return to(place::held, end_fate::held);
    case channel_use::give: ++end.gives; return (is_newer || (is_same && end.is == place::held)) && to(place::under_way, end_fate::held);
    case channel_use::aim:
      if (!is_same || end.is != place::under_way) return false;
      end.to = said.to;
      return deaths_.find(end.to) != nullptr && to(place::gone, end_fate::lost);
    case channel_use::lost: return is_same && end.is == place::under_way && to(place::gone, end_fate::lost);
    case channel_use::drop: return (is_newer || is_same) && end.is != place::gone && to(place::gone, end_fate::dropped);
    case channel_use::wait:
    case channel_use::over:
    case channel_use::find: return false;
  }
  return false;
}

void Channels::tell_waiting(End& end) {
  std::vector<std::pair<RequesterPtr, std::uint64_t>> later;
  const auto reached = end.hop + (end.fate == end_fate::lost ? 1 : 0);
  const bool is_final = end.is == place::gone && end.gives >= reached;
  for (const auto& each : std::exchange(end.waiting, {})) {
    if (!is_final && each.second > reached) later.push_back(each);
    else attempt("telling who has an end of a channel", [&] { each.first->answer(control::ChannelAt{0, end.who, end.fate, end.hop, end.behind}); });
  }
  end.waiting = std::move(later);
}

void Channels::process_died(const ProcessFacts& who) {
  std::vector<std::uint64_t> changed;
  for (auto& [number, channel] : channels_) {
    std::erase_if(channel.until_over, [&](const auto& each) { return Life(who).is_of(each->facts()); });
    for (auto& end : channel.ends) {
      std::erase_if(end.waiting, [&](const auto& each) { return Life(who).is_of(each.first->facts()); });
      const bool had_it = end.is == place::held && end.who.is_of(who);
      // What has not arrived there never will; and it has not left its giver before that said where it goes.
      const bool was_to_have_it = end.is == place::under_way && (end.to.who ? end.to : end.who).is_of(who);
      if (!had_it && !was_to_have_it) continue;
      std::tie(end.is, end.fate) = std::pair(place::gone, had_it ? end_fate::died : end_fate::lost);
      tell_waiting(end);
      changed.push_back(number);
    }
  }
  for (const auto number : changed) forget_if_over(number);
}

// For good; and nobody who had it is still to say that it has left.
bool Channels::is_over(const End& end) { return end.is == place::gone && end.waiting.empty() && end.gives >= end.hop + (end.fate == end_fate::lost ? 1 : 0); }

void Channels::forget_if_over(std::uint64_t channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || !std::all_of(found->second.ends.begin(), found->second.ends.end(), is_over)) return;
  const auto waiting = std::move(found->second.until_over);
  channels_.erase(found);
  for (const auto& each : waiting) attempt("telling that a channel is over", [&] { each->answer(control::Done{}); });
}

}  // namespace octavo::agent
