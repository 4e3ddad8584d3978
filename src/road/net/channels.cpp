// SPDX-License-Identifier: Apache-2.0
#include "road/net/channels.hpp"

#include <cstring>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::road::net {

namespace {

std::string name_of(std::uint64_t number) { return "channel " + std::to_string(number); }

}  // namespace

void Channels::greet(std::uint64_t window) {
  greeted_ = true;
  their_window_ = window;
  for (auto* channel : order_) channel->may_send = their_window_;
}

Channel* Channels::direct(std::uint64_t number, std::size_t bytes) const {
  auto* channel = find(number);
  if (channel == nullptr || channel->over || channel->end_received || channel->may_come < bytes) return nullptr;
  if (channel->granted != 0) return channel->page_in.room().size() >= bytes ? channel : nullptr;
  return channel->rings && channel->backlog.empty() && channel->rings->out.room() != 0 ? channel : nullptr;
}

std::array<ByteSpan, 2> Channels::room_in(Channel& channel, std::size_t bytes) {
  if (channel.granted != 0) return {channel.page_in.room().first(bytes)};
  return channel.rings->out.reserve(bytes);
}

void Channels::received(Channel& channel, std::size_t bytes) {
  if (channel.granted != 0) return page_received(channel, bytes);
  channel.rings->out.commit(bytes);
  written_to(channel, bytes);
}

// Counts also what comes for a channel that is over: the other side cannot know that yet, and goes by its window.
void Channels::take_data(std::uint64_t number, ByteView bytes) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("data of " + name_of(number) + " after its end");
  if (bytes.size() > channel.may_come)
    refuse_record(name_of(number) + " sends " + std::to_string(bytes.size() - channel.may_come) + " bytes more than the window has room for");
  if (channel.granted != 0) {
    if (bytes.size() > channel.granted) refuse_record("data of " + name_of(number) + " beyond the end of a page");
    if (!channel.over) std::memcpy(channel.page_in.room().data(), bytes.data(), bytes.size());
    return page_received(channel, bytes.size());
  }
  if (channel.over) {
    channel.may_come -= bytes.size();
    channel.owed += bytes.size();
    return;
  }
  if (channel.rings && channel.backlog.empty()) {
    std::size_t n = channel.rings->out.write(bytes);
    if (n != 0) written_to(channel, n);
    bytes = bytes.subspan(n);
  }
  channel.may_come -= bytes.size();
  channel.backlog.put(bytes, blocks_);
}

// A page that is received into the pool takes no room of the window, so its bytes are credited at once.
void Channels::take_page(std::uint64_t number, std::uint64_t bytes) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("a page of " + name_of(number) + " after its end");
  if (channel.granted != 0) refuse_record("a page within a page of " + name_of(number));
  if (bytes == 0) refuse_record("a page without bytes");
  if (options_.pages == nullptr || channel.over || !channel.rings || !channel.rings->pages_out.has_room()) return;
  if (!channel.page_in.begin(*options_.pages, bytes)) return;
  channel.granted = bytes;
  channel.owed += bytes;
}

// So many more bytes lie in the page.
void Channels::page_received(Channel& channel, std::size_t bytes) {
  channel.may_come -= bytes;
  channel.granted -= bytes;
  if (channel.over) return;
  channel.page_in.came(bytes);
  if (channel.granted != 0) return;
  page_came_ = true;
  auto page = channel.page_in.take();
  options_.pages->hand_over(page, channel.route);
  if (!channel.rings->pages_out.put({channel.rings->out.written() + channel.backlog.size(), page})) options_.pages->take_back(page, channel.route);
  to_publish(channel);
}

void Channels::take_credit(std::uint64_t number, std::uint64_t bytes) {
  auto* channel = find(number);
  if (channel == nullptr || channel->end_received) refuse_record("a credit for " + name_of(number) + ", which is not open");
  if (bytes > their_window_ + channel->page_out.left() - channel->may_send)
    refuse_record("a credit of " + std::to_string(bytes) + " bytes, which is more than the window");
  channel->may_send += bytes;
}

void Channels::take_end(std::uint64_t number) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("a second end of " + name_of(number));
  channel.end_received = true;
}

// So many more bytes lie in the process's ring.
void Channels::written_to(Channel& channel, std::size_t bytes) {
  channel.may_come -= bytes;
  channel.owed += bytes;
  to_publish(channel);
}

void Channels::to_publish(Channel& channel) {
  if (channel.written) return;
  channel.written = true;
  written_.push_back(&channel);
}

void Channels::publish() {
  for (auto* channel : written_) channel->publish();
  written_.clear();
}

void Channels::deliver() {
  for (auto* channel : order_) {
    if (channel->backlog.empty() || !channel->rings) continue;
    std::size_t moved = channel->backlog.move_to(channel->rings->out, blocks_);
    if (moved == 0) continue;
    channel->owed += moved;
    channel->publish();
  }
}

// The channel that did not come to its turn is the first next time.
void Channels::fill(Batch& batch) {
  if (!greeted_) return;
  std::size_t n = order_.size(), done = 0;
  while (done < n && fill_from(*order_[(turn_ + done) % n], batch)) ++done;
  turn_ = n == 0 ? 0 : (turn_ + std::max<std::size_t>(done, 1)) % n;
}

// False: the batch is full.
bool Channels::fill_from(Channel& channel, Batch& batch) {
  if (batch.full()) return false;
  if (owes_much(channel)) {
    Credit credit = channel.owed;
    batch.add(record_kind::credit, channel.number, bytes_of(credit));
    channel.may_come += credit;
    channel.owed = 0;
  }
  if (batch.full()) return false;
  if (channel.page_is_next() && !begin_page(channel, batch)) return true;
  if (batch.full()) return false;
  if (std::size_t n = channel.sendable(); n != 0) batch.add_data(channel, n);
  if (batch.full()) return false;
  if (channel.must_end()) {
    batch.add(record_kind::end, channel.number);
    channel.end_sent = true;
  }
  return true;
}

// False: the process's reference is to no page. What the process has sent after it is of no use to anybody, so the channel ends here.
bool Channels::begin_page(Channel& channel, Batch& batch) {
  const auto descriptor = channel.rings->pages_in.next();
  if (!descriptor) return false;
  if (channel.rings->pages_in.pop() && !channel.over) channel.process->ring();
  try {
    if (options_.pages == nullptr) throw io_error("a page came to a relay that knows no pool");
    if (descriptor->page.bytes == 0) throw io_error("a page without bytes");
    options_.pages->accept(descriptor->page, channel.way_in);
    channel.page_out.begin(*options_.pages, descriptor->page);
  } catch (const error& failure) {
    log_line(name_of(channel.number) + " of a relay ends: " + failure.what());
    channel.broken = true;
    leave(channel);
    channel.last = 0;
    return false;
  }
  batch.add(record_kind::page, channel.number, bytes_of(descriptor->page.bytes));
  return true;
}

bool Channels::owes_much(const Channel& channel) const { return channel.owed >= options_.window / 4 && !channel.end_sent && !channel.end_received; }

bool Channels::has_to_send() const {
  return greeted_ && std::ranges::any_of(order_, [](const Channel* channel) { return channel->sendable() != 0 || channel->page_is_next(); });
}

std::uint64_t Channels::unsent() const {
  std::uint64_t sum = 0;
  for (const auto* channel : order_)
    if (channel->rings && !channel->end_received && !channel->end_sent)
      sum += (channel->over ? channel->last : channel->rings->in.available()) + channel->page_out.left() + (channel->page_is_next() ? 1U : 0U);
  return sum;
}

bool Channels::has_work(bool can_send) const {
  for (auto* channel : order_) {
    if (can_send && greeted_ && (channel->sendable() != 0 || channel->page_is_next() || channel->must_end() || owes_much(*channel))) return true;
    if (channel->backlog.empty() || !channel->rings) continue;
    channel->rings->out.want_room();
    if (channel->rings->out.room() != 0) return true;
  }
  return false;
}

}  // namespace octavo::road::net
