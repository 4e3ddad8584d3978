// SPDX-License-Identifier: Apache-2.0
#include "road/net/steady/carrier_session.hpp"

#include <algorithm>
#include <numeric>

#include "octavo/base/error.hpp"

namespace octavo::road::steady {

namespace {

constexpr std::uint64_t confirm_each = 512 << 10;  // received bytes, when nothing else is said

template <class Value>
ByteView rest_of(const Value& value, std::size_t done) {
  return std::as_bytes(std::span(&value, 1)).subspan(done);
}
template <class Value>
ByteSpan rest_of(Value& value, std::size_t done) {
  return std::as_writable_bytes(std::span(&value, 1)).subspan(done);
}

[[noreturn]] void nonsense(const std::string& what) { throw refused("the other side of a steady link " + what, "Check that both run the same Octavo"); }

}  // namespace

CarrierSession::CarrierSession(std::unique_ptr<Link> link, Stream& stream, const std::optional<SteadyGreeting>& theirs)
    : link_(std::move(link)), stream_(&stream) {
  if (theirs) greet(*theirs);
  greeting_.session = stream.session;
  greeting_.received = confirmed_to_them_ = stream.received;
}

void CarrierSession::greet(const SteadyGreeting& theirs) {
  SteadyGreeting known;
  if (theirs.magic != known.magic || theirs.version != known.version)
    nonsense("speaks version " + std::to_string(theirs.version) + ", this one " + std::to_string(known.version));
  if (theirs.session != stream_->session) nonsense("names another session");
  if (!stream_->ours.confirm(theirs.received)) nonsense("confirms " + std::to_string(theirs.received) + " bytes, which were not on the way to it");
  next_ = theirs.received;
  greeted_ = true;
}

bool CarrierSession::must_confirm() const {
  std::uint64_t unsaid = stream_->received - confirmed_to_them_;
  return unsaid >= confirm_each || (stream_->ended && unsaid != 0);
}

bool CarrierSession::flush() {
  while (greeting_sent_ < sizeof greeting_) {
    ByteView rest = rest_of(std::as_const(greeting_), greeting_sent_);
    std::size_t n = link_->send(std::span(&rest, 1));
    greeting_sent_ += n;
    if (n < rest.size()) return false;
  }
  while (greeted_) {
    if (head_sent_ == sizeof head_ && left_ == 0) {
      auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(stream_->ours.end() - next_, most_segment_bytes));
      bool last = stream_->closed && next_ + size == stream_->ours.end();
      if (size == 0 && !must_confirm() && (!last || last_sent_)) return true;
      head_ = {size, last ? 1U : 0U, stream_->received};
      confirmed_to_them_ = stream_->received;
      last_sent_ = last;
      head_sent_ = 0;
      left_ = size;
    }
    if (!send_piece()) return false;
  }
  return true;
}

// Of the segment that is under way. False: there was no room for all of it.
bool CarrierSession::send_piece() {
  auto bytes = stream_->ours.view(next_, left_);
  std::array<ByteView, 1 + bytes.size()> pieces{rest_of(std::as_const(head_), head_sent_)};
  std::copy(bytes.begin(), bytes.end(), pieces.begin() + 1);
  std::size_t asked = std::accumulate(pieces.begin(), pieces.end(), std::size_t{0}, [](std::size_t sum, ByteView each) { return sum + each.size(); });
  std::size_t n = link_->send(pieces), of_head = std::min(n, pieces[0].size());
  head_sent_ += of_head;
  left_ -= n - of_head;
  next_ += n - of_head;
  return n == asked;
}

// Until bytes for the user are next. False: nothing more is here now.
bool CarrierSession::read_heads() {
  while (left_in_ == 0 && !stream_->ended) {
    ByteSpan rest = greeted_ ? rest_of(head_in_, head_came_) : rest_of(greeting_in_, greeting_came_);
    std::size_t n = rest.empty() ? 0 : link_->receive(std::span(&rest, 1));
    (greeted_ ? head_came_ : greeting_came_) += n;
    if (n < rest.size()) return false;
    if (greeted_) hear(head_in_);
    else greet(greeting_in_);
  }
  return left_in_ != 0;
}

void CarrierSession::hear(const SegmentHead& head) {
  if (head.bytes > most_segment_bytes || head.last > 1) nonsense("sent no segment");
  if (head.received > next_ || !stream_->ours.confirm(head.received))
    nonsense("confirms " + std::to_string(head.received) + " bytes, which were not on the way to it");
  head_came_ = 0;
  left_in_ = head.bytes;
  is_last_in_ = head.last == 1;
  stream_->ended = head.last == 1 && head.bytes == 0;
}

// The user's room as far as the segment goes, and behind it the next head: one call of the carrier for both.
std::size_t CarrierSession::receive_piece(std::span<const ByteSpan> into, std::size_t skip) {
  spans_.clear();
  std::size_t wanted = 0;
  for (auto room : into) {
    auto part = room.subspan(skip).first(std::min(room.size() - skip, left_in_ - wanted));
    skip = 0;
    wanted += part.size();
    spans_.push_back(part);
    if (wanted == left_in_) break;
  }
  std::size_t asked = wanted;
  if (wanted == left_in_ && !is_last_in_) {
    spans_.push_back(rest_of(head_in_, 0));
    asked += sizeof head_in_;
  }
  std::size_t n = link_->receive(spans_), given = std::min(n, wanted);
  head_came_ = n - given;
  left_in_ -= given;
  stream_->received += given;
  if (left_in_ == 0 && asked == wanted) stream_->ended = is_last_in_;
  dry_ = n < asked;
  return given;
}

std::size_t CarrierSession::receive(std::span<const ByteSpan> into) {
  std::size_t done = 0, skip = 0;  // of the front of `into`
  for (;;) {
    while (!into.empty() && skip >= into.front().size()) {
      skip -= into.front().size();
      into = into.subspan(1);
    }
    if (into.empty() || !read_heads()) return done;
    std::size_t n = receive_piece(into, skip);
    done += n;
    skip += n;
    if (dry_) return done;
  }
}

}  // namespace octavo::road::steady
