// SPDX-License-Identifier: Apache-2.0
// What comes over the link: bytes, records, and what they mean.
#include <array>
#include <cstring>

#include "octavo/base/error.hpp"
#include "road/net/core.hpp"

namespace octavo::road {

namespace {

constexpr int most_rounds = 8;              // then it is somebody else's turn
constexpr std::size_t least_direct = 4096;  // below, copying is cheaper than another piece in the system call
constexpr std::size_t behind_page = 4096;   // for what begins behind the bytes of a page; more of it is likely to be a page too

[[noreturn]] void refuse_record(const std::string& what) {
  throw io_error("a record on a link was refused: " + what, "The other agent is of another version, or the connection is damaged");
}

}  // namespace

// The channel into whose page or ring the next bytes can be received without passing through our memory.
Relay::Core::Channel* Relay::Core::straight() {
  std::size_t coming = decoder_.data_to_come();
  if (coming < least_direct) return nullptr;
  auto* channel = find(decoder_.channel());
  if (channel == nullptr || channel->over || channel->end_received || channel->may_come < coming) return nullptr;
  if (channel->granted != 0) return channel->page_in.room().size() >= coming ? channel : nullptr;
  return channel->rings && channel->backlog.empty() && channel->rings->out.room() != 0 ? channel : nullptr;
}

void Relay::Core::receive() {
  for (int round = 0; round < most_rounds && linked_ && readable_; ++round) {
    std::array<ByteSpan, 3> into{ByteSpan{}, ByteSpan{}, staging_.span()};
    auto* channel = straight();
    const bool page = channel != nullptr && channel->granted != 0;
    if (page) {
      into[0] = channel->page_in.room().first(decoder_.data_to_come());
      into[2] = into[2].first(behind_page);
    } else if (channel != nullptr) {
      auto ring = channel->rings->out.reserve(decoder_.data_to_come());
      into[0] = ring[0];
      into[1] = ring[1];
    }
    std::size_t direct = into[0].size() + into[1].size();
    std::size_t came = link_->receive(into);
    if (came < direct + into[2].size()) readable_ = false;
    if (came == 0) return;
    heard_ = Clock::now();
    pinged_ = false;
    direct = std::min(direct, came);
    if (direct != 0) {
      decoder_.skip(direct);
      if (page) {
        land(*channel, direct);
      } else {
        channel->rings->out.commit(direct);
        written_to(*channel, direct);
      }
    }
    ByteView staged = ByteView(staging_.span()).first(came - direct);
    net::Record record;
    while (decoder_.next(staged, record)) handle(record);
    publish();
  }
}

void Relay::Core::handle(const net::Record& record) {
  using net::record_kind;
  switch (record.kind) {
    case record_kind::hello: return greet(net::value_of<net::Hello>(record.bytes));
    case record_kind::control:
      if (events_.control) events_.control(record.bytes);
      return;
    case record_kind::data: return take_data(record.channel, record.bytes);
    case record_kind::page: return take_page(record.channel, net::value_of<net::PageSize>(record.bytes));
    case record_kind::credit: return take_credit(record.channel, net::value_of<net::Credit>(record.bytes));
    case record_kind::end: return take_end(record.channel);
    case record_kind::ping: owes_pong_ = true; return;
    case record_kind::pong: return;
  }
}

void Relay::Core::greet(const net::Hello& hello) {
  greeted_ = true;
  their_window_ = hello.window;
  for (auto* channel : order_) channel->may_send = their_window_;
}

// Everything is counted, also what nobody wants any more: the other side cannot know.
void Relay::Core::take_data(std::uint64_t number, ByteView bytes) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("data of channel " + std::to_string(number) + " after its end");
  if (bytes.size() > channel.may_come)
    refuse_record("channel " + std::to_string(number) + " sends " + std::to_string(bytes.size() - channel.may_come) +
                  " bytes more than the window has room for");
  if (channel.granted != 0) {
    if (bytes.size() > channel.granted) refuse_record("data of channel " + std::to_string(number) + " beyond the end of a page");
    if (!channel.over) std::memcpy(channel.page_in.room().data(), bytes.data(), bytes.size());
    return land(channel, bytes.size());
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

// What is received into the pool takes no room of the window: it is credited at once.
void Relay::Core::take_page(std::uint64_t number, std::uint64_t bytes) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("a page of channel " + std::to_string(number) + " after its end");
  if (channel.granted != 0) refuse_record("a page within a page of channel " + std::to_string(number));
  if (bytes == 0) refuse_record("a page without bytes");
  if (options_.pages == nullptr || channel.over || !channel.rings || !channel.rings->slips_out.has_room()) return;
  if (!channel.page_in.begin(*options_.pages, bytes)) return;
  channel.granted = bytes;
  channel.owed += bytes;
}

// So many bytes of it lie in the page.
void Relay::Core::land(Channel& channel, std::size_t bytes) {
  channel.may_come -= bytes;
  channel.granted -= bytes;
  if (channel.over) return;
  channel.page_in.came(bytes);
  if (channel.granted != 0) return;
  owes_pong_ = true;  // so that a steady link there hears that its page is here, and lets go of it
  auto page = channel.page_in.take();
  options_.pages->hand_over(page, channel.route);
  if (!channel.rings->slips_out.put({channel.rings->out.written() + channel.backlog.size(), page})) options_.pages->take_back(page, channel.route);
  to_publish(channel);
}

void Relay::Core::take_credit(std::uint64_t number, std::uint64_t bytes) {
  auto* channel = find(number);
  if (channel == nullptr || channel->end_received) refuse_record("a credit for channel " + std::to_string(number) + ", which is not open");
  if (bytes > their_window_ + channel->page_out.left() - channel->may_send)
    refuse_record("a credit of " + std::to_string(bytes) + " bytes, which is more than the window");
  channel->may_send += bytes;
}

void Relay::Core::take_end(std::uint64_t number) {
  auto& channel = of_theirs(number);
  if (channel.end_received) refuse_record("a second end of channel " + std::to_string(number));
  channel.end_received = true;
}

// So many bytes lie in the process's ring now.
void Relay::Core::written_to(Channel& channel, std::size_t bytes) {
  channel.may_come -= bytes;
  channel.owed += bytes;
  to_publish(channel);
}

void Relay::Core::to_publish(Channel& channel) {
  if (channel.written) return;
  channel.written = true;
  written_.push_back(&channel);
}

void Relay::Core::publish() {
  for (auto* channel : written_) channel->publish();
  written_.clear();
}

}  // namespace octavo::road
