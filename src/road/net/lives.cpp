// SPDX-License-Identifier: Apache-2.0
// How a channel begins, what its process is given, and how it ends.
#include <sys/epoll.h>
#include <sys/socket.h>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "road/net/core.hpp"

namespace octavo::road {

Relay::Core::Channel* Relay::Core::find(std::uint64_t number) const {
  auto at = channels_.find(number);
  return at == channels_.end() ? nullptr : at->second.get();
}

Relay::Core::Channel& Relay::Core::make(std::uint64_t number) {
  auto& channel = *(channels_[number] = std::make_unique<Channel>(number, options_.window));
  channel.may_send = their_window_;
  order_.push_back(&channel);
  return channel;
}

// Of a number that came over the link: perhaps it is to be opened here later.
Relay::Core::Channel& Relay::Core::of_theirs(std::uint64_t number) {
  if (auto* known = find(number)) return *known;
  if (unopened_ >= options_.most_unopened)
    throw io_error(std::to_string(unopened_) + " channels of a link wait for being opened here, and there is one more",
                   "The other agent opens what this one does not know of");
  ++unopened_;
  return make(number);
}

void Relay::Core::open_here(Command command) {
  auto* channel = find(command.number);
  if (!linked_ || (channel != nullptr && (channel->opened || channel->over))) {  // lost, or refused before: it ends at once
    give_back(command);
    command.rings.reset();
    command.process->ring();
    return over_here(command.number);
  }
  if (channel == nullptr) channel = &make(command.number);
  else --unopened_;
  channel->opened = true;
  channel->rings = std::move(command.rings);
  channel->process = std::move(command.process);
  channel->route = command.route;
  channel->way_in = command.way_in;
  try {
    watch(channel->rings->socket.get(), EPOLLRDHUP, channel, EPOLL_CTL_ADD);
  } catch (const error& failure) {  // this channel's trouble, not the link's
    log_line("channel " + std::to_string(command.number) + " of a relay ends: " + failure.what());
    channel->socket_ended = true;
  }
}

void Relay::Core::refuse_here(std::uint64_t number) {
  auto* channel = find(number);
  if (!linked_ || (channel != nullptr && (channel->opened || channel->over))) return;
  if (channel == nullptr) channel = &make(number);
  else --unopened_;
  leave(*channel);
}

// What a process has put there for us, and nobody will send.
void Relay::Core::give_back(const Command& command) {
  command.rings->slips_in.close();
  if (options_.pages != nullptr) options_.pages->close_way(command.way_in);
}

// To processes that had no room when it came.
void Relay::Core::deliver() {
  for (auto* channel : order_) {
    if (channel->backlog.empty() || !channel->rings) continue;
    std::size_t moved = channel->backlog.move_to(channel->rings->out, blocks_);
    if (moved == 0) continue;
    channel->owed += moved;
    channel->publish();
  }
}

// The process here is gone, or is to be told that its peer is. What it has written until now is still sent.
void Relay::Core::leave(Channel& channel) {
  if (channel.over) return;
  channel.over = true;
  channel.owed += channel.backlog.size();
  channel.backlog.drop(blocks_);
  channel.page_in.drop();
  if (!channel.rings) return;
  channel.last = std::max(channel.rings->in.available(), channel.under_way) - channel.under_way;
  channel.reads_no_more = channel.rings->others_end_is_closed();
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, channel.rings->socket.get(), nullptr);
  ::shutdown(channel.rings->socket.get(), SHUT_RDWR);
  channel.rings->socket.reset();
  channel.process->ring();
}

void Relay::Core::settle() {
  for (std::size_t i = 0; i < order_.size();) {
    auto* channel = order_[i];
    if (!settled(*channel)) {
      ++i;
      continue;
    }
    order_[i] = order_.back();
    order_.pop_back();
    channels_.erase(channel->number);
  }
}

// True when it can be forgotten: both ends have passed.
bool Relay::Core::settled(Channel& channel) {
  bool given = channel.end_received && channel.opened && channel.backlog.empty();
  if (given || channel.socket_ended) leave(channel);
  if (!linked_ && !channel.opened) return true;
  if (!linked_ && channel.over) channel.end_sent = true;  // nobody is there to be told
  if (!channel.end_sent || channel.under_way != 0 || channel.page_out.under_way() != 0) return false;
  if (channel.rings) {
    channel.drop_pages(options_.pages);
    channel.rings.reset();
    channel.process.reset();
    over_here(channel.number);
  }
  return channel.end_received;
}

void Relay::Core::over_here(std::uint64_t number) {
  {
    std::lock_guard lock(mutex_);
    numbers_.erase(number);
  }
  if (events_.ended) events_.ended(number);
}

}  // namespace octavo::road
