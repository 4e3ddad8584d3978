// SPDX-License-Identifier: Apache-2.0
#include "process/serve/served_calls.hpp"

#include <algorithm>

#include "process/context/frame_facts.hpp"

namespace octavo::detail {

void ServedCalls::take(wire::Message& message, const PeerLink& from) {
  if (&message != &arriving_.message) {
    const auto bytes = frame_bytes(message);
    queued_bytes_ += bytes;
    queue_.push_back({std::move(message), Origin(from, poller_.view().round()), bytes});
    return;
  }
  arrives_from(from);
  arrived_ = true;
}

void ServedCalls::queue_buffered() {
  arriving_.queued_bytes = frame_bytes(arriving_.message);
  queued_bytes_ += arriving_.queued_bytes;
  queue_.push_front(std::move(arriving_));
  arrived_ = false;
}

std::optional<ArrivedCall> ServedCalls::take_out(std::deque<ArrivedCall>::const_iterator at) {
  if (at == queue_.end()) return std::nullopt;
  auto found = queue_.begin() + (at - queue_.cbegin());
  std::optional<ArrivedCall> taken(std::move(*found));
  queue_.erase(found);
  queued_bytes_ -= taken->queued_bytes;
  return taken;
}

std::optional<ArrivedCall> ServedCalls::next() { return take_out(queue_.begin()); }

std::optional<ArrivedCall> ServedCalls::next_callback() {
  return take_out(std::find_if(queue_.cbegin(), queue_.cend(), [this](const ArrivedCall& each) { return context_.is_callback(each.message.header); }));
}

bool ServedCalls::callback_waits() const {
  return std::any_of(queue_.begin(), queue_.end(), [this](const ArrivedCall& each) { return context_.is_callback(each.message.header); });
}

bool ServedCalls::is_to_be_destroyed_by(const Address& caller) const {
  return std::any_of(queue_.begin(), queue_.end(), [&](const ArrivedCall& each) {
    const auto& header = each.message.header;
    return header.kind == wire::frame_kind::destroy && header.root == context_.root() && each.from.caller() == caller;
  });
}

std::deque<ArrivedCall>::const_iterator ServedCalls::find(const Address& caller, std::uint64_t call) const {
  return std::find_if(queue_.begin(), queue_.end(), [&](const ArrivedCall& each) { return each.message.header.call == call && each.from.caller() == caller; });
}

std::optional<ArrivedCall> ServedCalls::take_back(const Address& caller, std::uint64_t call) { return take_out(find(caller, call)); }

bool ServedCalls::is_queued(const Address& caller, std::uint64_t call) const {
  return find(caller, call) != queue_.end() || (arrived_ && arriving_.message.header.call == call && arriving_.from.caller() == caller);
}

bool ServedCalls::has_from(const Address& caller) const {
  const bool is_next = arrived_ && arriving_.from.caller() == caller;
  return is_next || std::any_of(queue_.begin(), queue_.end(), [&](const ArrivedCall& each) { return each.from.caller() == caller; });
}

bool ServedCalls::waits_its_turn(const Address& caller, std::uint64_t call) const {
  auto found = find(caller, call);
  return found != queue_.end() && !context_.is_callback(found->message.header);
}

std::optional<unsigned> ServedCalls::depth_of_running(const Address& caller, std::uint64_t call) const {
  auto found = std::find_if(running_.begin(), running_.end(), [&](const Run& each) { return each.call == call && each.caller == caller; });
  return found == running_.end() ? std::nullopt : std::optional(found->depth);
}

}  // namespace octavo::detail
