// SPDX-License-Identifier: Apache-2.0
#include "process/sending/sender.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
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
  pages_leave(around_.pool, out, by.route);
  const auto went = by.connection->send_now(out);
  if (went != road::sent_now::sent && !pages_come_back(around_.pool, out, *by.route)) around_.links.raise_gone(by.facts);
  return went;
}

void Sender::send(const Life& to, wire::Outgoing& out, when_full how) {
  auto link = around_.links.link_to(to);
  fill_header(out.header, to.who, out.header.kind, out.header.method);
  pages_leave(around_.pool, out, link.route, &link.facts);
  out.seal();
  const auto bytes = frame_bytes(out);
  auto& road = *link.connection;
  const bool handed_over = how == when_full::wait_then_hand_over, at_once = how == when_full::hand_over || (handed_over && background_->is_stalled(road));
  road::Deadline until = road::never;
  std::uint64_t sent = 0;
  // Reads at least once, for the other may be sending to us; then sleeps until the rest has left.
  auto make_room = [&] {
    const auto now = around_.now();
    if (at_once) return false;
    if (handed_over && (until == road::never || sent != road.bytes_sent())) {  // as long as something moves its reader is reading
      sent = road.bytes_sent();
      until = now + patience_for(bytes);
    }
    if (now >= until) return false;
    auto left = [&road, first = true]() mutable { return !std::exchange(first, false) && (road.flush() || road.lost()); };
    poller_.wait(left, std::min(until, now + std::chrono::milliseconds(10)));
    return true;
  };
  try {
    road.send(out, make_room);
  } catch (const gone_error&) {
    pages_stay(around_.pool, out, link.route);
    around_.links.raise_gone(link.facts);
  } catch (...) {  // the connection holds what it has kept of it
    pages_left(around_.pool, out, link.route);
    throw;
  }
  count_sent(bytes);
  pages_left(around_.pool, out, link.route);
  if (how != when_full::wait_for_room && !road.flush()) background_->take_over(link.connection);
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
int Sender::tries_to_post(when_full how) const { return how == when_full::hand_over || around_.bell.oversubscribed() ? 1 : most_tries; }

}  // namespace octavo::detail
