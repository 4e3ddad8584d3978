// SPDX-License-Identifier: Apache-2.0
#include "process/sending/sender.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/process/detail/method.hpp"
#include "process/context/frame_facts.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

namespace {

// A reader that has nothing else to do has taken them by then.
road::Clock::duration patience_for(std::size_t bytes) {
  constexpr std::size_t bytes_in_a_microsecond = 1000;
  return std::chrono::microseconds(500 + bytes / bytes_in_a_microsecond);
}

// What goes as a message of its own, with a header that says all.
wire::Outgoing whole(const wire::SmallFrame& frame) {
  wire::Outgoing out;
  auto& header = out.header;
  std::tie(header.kind, header.call, header.root, header.method, header.flags) = std::tie(frame.kind, frame.call, frame.root, frame.method, frame.flags);
  out.body.append(frame.body.data(), frame.size);
  return out;
}

}  // namespace

Sender::Sender(const Surroundings& around, Poller& poller, const CallContext& context, std::function<void()> look_around)
    : around_(around),
      poller_(poller),
      context_(context),
      build_(build_id()),
      background_(std::make_shared<BackgroundSender>(around.bell, std::move(look_around))) {}

Sender::~Sender() { background_->end(); }

void Sender::fill_header(wire::FrameHeader& header, const Address& to, wire::frame_kind kind, std::uint64_t method) const {
  header.kind = kind;
  header.caller = around_.self.address.object;
  header.object = to.object;
  header.incarnation = to.incarnation;
  header.method = method;
  header.build = build_;
}

bool Sender::may_go_now(const wire::Outgoing& out) noexcept {
  constexpr std::size_t most_beside_pages = 256;
  return out.bulk.empty() && (out.pages.empty() || (out.pages.size() <= road::most_pages_now && out.body.size() <= most_beside_pages));
}

// Its pages are handed over before the road is asked: the books of a page may have to be waited for, and that with no lock of the road held.
road::sent_now Sender::send_now(const PeerLink& by, wire::Outgoing& out) const {
  if (out.pages.empty()) return by.connection->send_now(out);
  if (!by.route || by.route->way == 0) return road::sent_now::unsuitable;
  PagesUnderWay pages(around_.pool, out, by.route);
  const auto went = by.connection->send_now(out);
  if (went != road::sent_now::sent && !pages.come_back()) around_.links.raise_gone(by.facts);
  return went;
}

// What a thread does while a road is full: it reads at least once, for the other may be sending to it; then it sleeps until there is room. Another thread may
// be the one that reads: of the connection this one asks only what any may. (That thread may make the room, too: hence the time.)
class Sender::Room {
 public:
  Room(Sender& sender, road::Connection& road, std::size_t bytes, when_full how, const Resend* resend)
      : sender_(sender),
        road_(road),
        resend_(resend),
        patience_(patience_for(bytes)),
        is_kept_(how != when_full::wait_for_room),
        at_once_(how == when_full::hand_over || (is_kept_ && sender.background_->is_stalled(road))) {}

  bool await() {
    const auto now = sender_.around_.now();
    if (at_once_ || (resend_ != nullptr && resend_->given_up())) return false;
    if (is_kept_ && (until_ == road::never || sent_ != road_.bytes_sent())) {  // as long as something moves its reader is reading
      sent_ = road_.bytes_sent();
      until_ = now + patience_;
    }
    if (now >= until_) return false;
    auto room = [this, looked = false]() mutable { return std::exchange(looked, true) && (road_.got_room() || road_.lost()); };
    sender_.poller_.wait(room, std::min(until_, now + std::chrono::milliseconds(10)));
    return true;
  }

 private:
  Sender& sender_;
  road::Connection& road_;
  const Resend* const resend_;
  const road::Clock::duration patience_;
  const bool is_kept_, at_once_;
  road::Deadline until_ = road::never;
  std::uint64_t sent_ = 0;
};

void Sender::send(const Life& to, wire::Outgoing& out, when_full how) {
  auto link = around_.links.link_to(to);
  fill_header(out.header, to.who, out.header.kind, out.header.method);
  send(link, out, how, nullptr);
}

void Sender::send(PeerLink& link, wire::Outgoing& out, when_full how, Resend* resend) {
  const bool keeps = resend != nullptr && link.route && resend->may_go_again();
  PagesUnderWay pages(around_.pool, out, link.route, PagesUnderWay::keeps{keeps}, &link.facts);
  out.seal();
  const auto bytes = frame_bytes(out);
  for (bool sent = false; !sent;) {
    if (resend != nullptr) resend->about_to_leave(link);
    Room room(*this, *link.connection, bytes, how, resend);
    try {
      link.connection->send(out, [&room] { return room.await(); });
      sent = true;
    } catch (const gone_error&) {
      pages.take_back();
      if (resend == nullptr) around_.links.raise_gone(link.facts);
      link = resend->next_life(link);
      pages.leave_again(link.route, link.facts);
    }
  }
  count_sent(bytes);
  if (how != when_full::wait_for_room && !link.connection->flush()) background_->take_over(link.connection);
}

namespace {
// A reader in an earlier life of that object is meant.
bool is_another_life(const PeerLink& link, const Life& meant) noexcept { return meant.pid != 0 && meant.pid != link.facts.pid; }
}  // namespace

void Sender::post_small(const Life& to, const wire::SmallFrame& frame, when_full how) {
  constexpr auto header_bytes = sizeof(wire::FrameHeader);
  if (BriefReading reading(poller_.waiters()); reading) {
    auto send = [&](const PeerLink& by) { return is_another_life(by, to) ? road::sent_now::unsuitable : by.connection->send_small(frame); };
    if (by_lane(to.who, tries_to_post(how), send) != nullptr) return around_.row.sent(header_bytes + frame.size);
  } else if (around_.links.send_small(to.who, frame) == road::sent_now::sent) {
    return count_sent(header_bytes + frame.size);
  }
  auto out = whole(frame);
  send(to, out, how);
}

void Sender::post(const Life& to, wire::Outgoing& out, when_full how) {
  if (may_go_now(out)) {
    fill_header(out.header, to.who, wire::frame_kind::post, out.header.method);
    out.seal();
    // Where something is kept there may be no room for long.
    auto send = [&](const PeerLink& by) { return !is_another_life(by, to) && by.connection->flush() ? send_now(by, out) : road::sent_now::unsuitable; };
    BriefReading reading(poller_.waiters(), BriefReading::purpose::to_send);
    if (reading && by_lane(to.who, tries_to_post(how), send) != nullptr) return around_.row.sent(frame_bytes(out));
  }
  send(to, out, how);
}

// Where there are more threads than cores, the peer that is to make room does not run just now.
int Sender::tries_to_post(when_full how) const { return PollBudget::lane_room.now(how == when_full::hand_over || around_.bell.oversubscribed()); }

}  // namespace octavo::detail
