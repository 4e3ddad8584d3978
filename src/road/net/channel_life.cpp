// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/socket.h>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "road/net/channels.hpp"
#include "road/net/watch.hpp"

namespace octavo::road::net {

// The sockets of the processes end with the channels; the bells tell those that do not poll them.
Channels::~Channels() {
  for (auto* channel : order_) {
    channel->drop_pages(options_.pages);
    if (!channel->process) continue;
    channel->rings.reset();
    channel->process->ring();
  }
}

Channel* Channels::find(std::uint64_t number) const {
  auto at = channels_.find(number);
  return at == channels_.end() ? nullptr : at->second.get();
}

Channel& Channels::make(std::uint64_t number) {
  auto& channel = *(channels_[number] = std::make_unique<Channel>(number, options_.window));
  channel.may_send = their_window_;
  order_.push_back(&channel);
  return channel;
}

// Of a number that came over the link: perhaps it is to be opened here later.
Channel& Channels::of_theirs(std::uint64_t number) {
  if (auto* known = find(number)) return *known;
  if (unopened_ >= options_.most_unopened)
    throw io_error(std::to_string(unopened_) + " channels of a link wait for being opened here, and there is one more",
                   "The other agent opens what this one does not know of");
  ++unopened_;
  return make(number);
}

// The channel of this number, to be opened or refused now; null: the link is lost, or the channel was opened or refused before.
Channel* Channels::unopened(std::uint64_t number) {
  auto* channel = find(number);
  if (!linked_ || (channel != nullptr && (channel->opened || channel->over))) return nullptr;
  if (channel == nullptr) return &make(number);
  --unopened_;
  return channel;
}

void Channels::open(std::uint64_t number, Opening opening) {
  auto* channel = unopened(number);
  if (channel == nullptr) {
    give_back(opening);
    opening.rings.reset();
    opening.process.ring();
    return ended_(number);
  }
  channel->opened = true;
  channel->rings = std::move(opening.rings);
  channel->process = std::move(opening.process);
  channel->route = opening.route;
  channel->way_in = opening.way_in;
  try {
    watch(poll_, EPOLL_CTL_ADD, channel->rings->socket.get(), EPOLLRDHUP, channel);
  } catch (const error& failure) {  // this channel's trouble, not the link's
    log_line("channel " + std::to_string(number) + " of a relay ends: " + failure.what());
    channel->socket_ended = true;
  }
}

void Channels::refuse(std::uint64_t number) {
  if (auto* channel = unopened(number)) leave(*channel);
}

void Channels::close(std::uint64_t number) {
  if (auto* channel = find(number); channel != nullptr && channel->opened) leave(*channel);
}

void Channels::give_back(const Opening& opening) const {
  opening.rings->pages_in.close();
  if (options_.pages != nullptr) options_.pages->close_way(opening.way_in);
}

// The process here is gone, or is to be told that its peer is. What it has written until now is still sent.
void Channels::leave(Channel& channel) {
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

void Channels::settle() {
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

// True: the channel can be forgotten, as both its ends have been sent and received.
bool Channels::settled(Channel& channel) {
  bool given = channel.end_received && channel.opened && channel.backlog.empty();
  if (given || channel.socket_ended) leave(channel);
  if (!linked_ && !channel.opened) return true;
  if (!linked_ && channel.over) channel.end_sent = true;  // nobody is there to be told
  if (!channel.end_sent || channel.under_way != 0 || channel.page_out.under_way() != 0) return false;
  if (channel.rings) {
    channel.drop_pages(options_.pages);
    channel.rings.reset();
    channel.process.reset();
    ended_(channel.number);
  }
  return channel.end_received;
}

void Channels::leave_all() {
  for (auto* channel : order_) leave(*channel);
}

void Channels::link_lost() {
  linked_ = false;
  publish();
  for (auto* channel : order_) channel->end_received = true;
}

}  // namespace octavo::road::net
