// SPDX-License-Identifier: Apache-2.0
#include "road/net/record_stream.hpp"

#include <poll.h>

#include <array>
#include <utility>

namespace octavo::road::net {

namespace {

constexpr int most_rounds = 8, most_sends = 4;                  // then it is somebody else's turn
constexpr std::size_t least_direct = 4096;                      // below, copying is cheaper than another piece in the system call
constexpr std::size_t behind_page = 4096;                       // for what begins behind the bytes of a page; more of it is likely to be a page too
constexpr std::size_t most_controls = Batch::most_records / 2;  // of one batch, so that data come to their turn
constexpr std::size_t staging_bytes = 64 << 10;

}  // namespace

RecordStream::RecordStream(std::unique_ptr<Link> link, const RelayOptions& options, Channels& channels, TakeControl control,
                           std::atomic<std::size_t>& waiting_bytes)
    : link_(std::move(link)),
      options_(options),
      channels_(channels),
      control_(std::move(control)),
      waiting_bytes_(waiting_bytes),
      decoder_(static_cast<std::uint32_t>(options.most_control_bytes)),
      staging_(staging_bytes) {}

void RecordStream::add_controls(std::vector<Control> controls) {
  if (!linked_) return;
  if (controls_.empty()) return controls_.swap(controls);
  for (auto& control : controls) controls_.push_back(std::move(control));
}

void RecordStream::receive() {
  for (int round = 0; round < most_rounds && linked_ && readable_; ++round) {
    std::array<ByteSpan, 3> into{ByteSpan{}, ByteSpan{}, staging_.span()};
    const std::size_t coming = decoder_.data_to_come();
    auto* channel = coming < least_direct ? nullptr : channels_.direct(decoder_.channel(), coming);
    if (channel != nullptr) {
      const auto room = Channels::room_in(*channel, coming);
      into[0] = room[0];
      into[1] = room[1];
      if (channel->granted != 0) into[2] = into[2].first(behind_page);
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
      channels_.received(*channel, direct);
    }
    ByteView staged = ByteView(staging_.span()).first(came - direct);
    Record record;
    while (decoder_.next(staged, record)) handle(record);
    channels_.publish();
    if (channels_.page_came()) owes_pong_ = true;  // so that a steady link there hears that its page is here, and lets go of it
  }
}

void RecordStream::handle(const Record& record) {
  switch (record.kind) {
    case record_kind::hello: return channels_.greet(value_of<Hello>(record.bytes).window);
    case record_kind::control:
    case record_kind::control_with: return take_control(record);
    case record_kind::data: return channels_.take_data(record.channel, record.bytes);
    case record_kind::page: return channels_.take_page(record.channel, value_of<PageSize>(record.bytes));
    case record_kind::credit: return channels_.take_credit(record.channel, value_of<Credit>(record.bytes));
    case record_kind::end: return channels_.take_end(record.channel);
    case record_kind::ping: owes_pong_ = true; return;
    case record_kind::pong: return;
  }
}

void RecordStream::take_control(const Record& record) {
  std::vector<Fd> with;
  if (record.kind == record_kind::control_with) {
    auto set = link_->take_descriptors();
    if (!set) refuse_record("a control whose descriptors did not come");
    with = std::move(*set);
  }
  if (control_ && !ending_) control_(record.bytes, std::move(with));
}

void RecordStream::send() {
  for (int round = 0; round < most_sends && can_send(); ++round) {
    if (batch_.empty()) fill();
    if (batch_.empty()) return;
    blocked_ = !batch_.send(*link_);
  }
}

void RecordStream::fill() {
  if (!hello_sent_) {
    Hello hello;
    hello.window = options_.window;
    batch_.add(record_kind::hello, 0, bytes_of(hello));
    hello_sent_ = true;
  }
  if (owes_ping_) batch_.add(record_kind::ping, 0);
  if (owes_pong_) batch_.add(record_kind::pong, 0);
  owes_ping_ = owes_pong_ = false;
  for (std::size_t n = 0; n < most_controls && next_control_ < controls_.size() && !batch_.full(); ++n) {
    auto& control = controls_[next_control_];
    const auto bytes = control.bytes.size();
    if (!batch_.add_control(control)) break;
    waiting_bytes_ -= bytes;
    ++next_control_;
  }
  if (next_control_ == controls_.size()) {
    controls_.clear();
    next_control_ = 0;
  }
  channels_.fill(batch_);
}

// What the processes have sent before is sent, as long as the other side takes some of it, and makes room for more. (One that lives on, and writes, would keep
// this relay from its end.)
void RecordStream::send_last() {
  constexpr auto patience = std::chrono::seconds(1);
  ending_ = true;
  channels_.leave_all();
  auto until = Clock::now() + patience;
  for (auto before = channels_.unsent(); linked_ && !link_->lost();) {
    send();
    const auto left = channels_.unsent();
    if (batch_.empty() && !must_speak() && left == 0) break;
    if (left != before) until = Clock::now() + patience;
    before = left;
    if (can_send() && channels_.has_to_send()) continue;
    const auto now = Clock::now();
    if (now >= until) break;
    pollfd link{link_->descriptor(), link_->events(blocked_), 0};
    ::poll(&link, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count()));
    polled();
    receive();
  }
  link_->close();
}

void RecordStream::end() {
  linked_ = false;
  link_->close();
  channels_.link_lost();
  batch_.drop();
  controls_.clear();
}

int RecordStream::patience(Deadline now) const {
  if (!linked_) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(heard_ + (pinged_ ? options_.silence : options_.heartbeat) - now);
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

// Silent until `looked`, and nothing was there then: so it is not this side that did not listen, as after having been stopped.
std::string RecordStream::why_lost(Deadline looked) {
  if (!linked_) return {};
  auto of_link = [this](const std::string& what) { return std::string(link_->kind()) + " link: " + what; };
  if (link_->lost()) return of_link(link_->why());
  if (readable_) return {};
  if (link_->awaited()) heard_ = looked;  // its silence begins when somebody is there
  auto silent = looked - heard_;
  if (silent >= options_.silence) return of_link("nothing came for " + std::to_string(options_.silence.count()) + " ms");
  if (silent >= options_.heartbeat && !pinged_) pinged_ = owes_ping_ = true;
  return {};
}

}  // namespace octavo::road::net
