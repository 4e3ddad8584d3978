// SPDX-License-Identifier: Apache-2.0
// What goes over the link, and in which order: what keeps it alive, controls, then each channel in turn.
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "road/net/core.hpp"

namespace octavo::road {

namespace {

constexpr int most_sends = 4;                                        // then it is somebody else's turn
constexpr std::size_t most_controls = net::Batch::most_records / 2;  // of one batch, so that data come to their turn

template <class Value>
ByteView bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

void Relay::Core::send() {
  for (int round = 0; round < most_sends && linked_ && !blocked_; ++round) {
    if (batch_.empty()) fill();
    if (batch_.empty()) return;
    blocked_ = !batch_.send(*link_);
  }
}

void Relay::Core::fill() {
  if (!hello_sent_) {
    net::Hello hello;
    hello.window = options_.window;
    batch_.add(net::record_kind::hello, 0, bytes_of(hello));
    hello_sent_ = true;
  }
  if (owes_ping_) batch_.add(net::record_kind::ping, 0);
  if (owes_pong_) batch_.add(net::record_kind::pong, 0);
  owes_ping_ = owes_pong_ = false;
  for (std::size_t n = 0; n < most_controls && next_control_ < going_.size() && !batch_.full(); ++n) {
    auto& control = going_[next_control_++];
    control_bytes_ -= control.size();
    batch_.add_control(std::move(control));
  }
  if (next_control_ == going_.size()) {
    going_.clear();
    next_control_ = 0;
  }
  if (!greeted_) return;
  // Whoever did not come to his turn is the first next time.
  std::size_t n = order_.size(), done = 0;
  while (done < n && fill_from(*order_[(turn_ + done) % n])) ++done;
  turn_ = n == 0 ? 0 : (turn_ + std::max<std::size_t>(done, 1)) % n;
}

// False when the batch is full.
bool Relay::Core::fill_from(Channel& channel) {
  if (batch_.full()) return false;
  if (owes_much(channel)) {
    net::Credit credit = channel.owed;
    batch_.add(net::record_kind::credit, channel.number, bytes_of(credit));
    channel.may_come += credit;
    channel.owed = 0;
  }
  if (batch_.full()) return false;
  if (channel.page_is_next() && !begin_page(channel)) return true;
  if (batch_.full()) return false;
  if (std::size_t n = channel.sendable(); n != 0) batch_.add_data(channel, n);
  if (batch_.full()) return false;
  if (channel.must_end()) {
    batch_.add(net::record_kind::end, channel.number);
    channel.end_sent = true;
  }
  return true;
}

// False: the process's reference is none. What it has sent behind is of no use to anybody, and it ends.
bool Relay::Core::begin_page(Channel& channel) {
  const auto slip = channel.rings->slips_in.next();
  if (!slip) return false;
  if (channel.rings->slips_in.pop() && !channel.over) channel.process->ring();
  try {
    if (options_.pages == nullptr) throw io_error("a page came to a relay that knows no pool");
    if (slip->page.bytes == 0) throw io_error("a page without bytes");
    options_.pages->accept(slip->page, channel.way_in);
    channel.page_out.begin(*options_.pages, slip->page);
  } catch (const error& failure) {
    log_line("channel " + std::to_string(channel.number) + " of a relay ends: " + failure.what());
    channel.broken = true;
    leave(channel);
    channel.last = 0;
    return false;
  }
  batch_.add(net::record_kind::page, channel.number, bytes_of(slip->page.bytes));
  return true;
}

bool Relay::Core::owes_much(const Channel& channel) const { return channel.owed >= options_.window / 4 && !channel.end_sent && !channel.end_received; }

}  // namespace octavo::road
