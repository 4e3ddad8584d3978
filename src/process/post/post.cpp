// SPDX-License-Identifier: Apache-2.0
// An endpoint as a place of mailboxes: what the layer of mailboxes asks of it.
#include "octavo/process/detail/post.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"
#include "process/reading/reading.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

namespace {

// What goes as a message of its own, with a header that says all.
wire::Outgoing whole(const wire::SmallFrame& frame) {
  wire::Outgoing out;
  out.header.kind = frame.kind;
  out.header.call = frame.call;
  out.header.root = frame.root;
  out.header.method = frame.method;
  out.header.flags = frame.flags;
  out.body.append(frame.body.data(), frame.size);
  return out;
}

}  // namespace

std::shared_ptr<PostOffice> post_office(const std::function<std::shared_ptr<PostOffice>()>& make) { return Endpoint::require().post_office(make); }

std::shared_ptr<PostOffice> Endpoint::post_office(const std::function<std::shared_ptr<PostOffice>()>& make) {
  std::lock_guard lock(office_mutex_);
  if (!office_) {
    office_ = make();
    has_office_.store(true, std::memory_order_release);
  }
  return office_;
}

std::shared_ptr<PostOffice> Endpoint::office() {
  if (!has_office_.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(office_mutex_);
  return office_;
}

void Endpoint::take_post(wire::Message& message, const PeerLink& from) {
  if (auto office = this->office()) return office->take(std::move(message), from.facts.address);
  log_line("process " + std::to_string(from.facts.address.object) + " posted to a mailbox that is not here: it is dropped");
}

void own_mailbox(const std::string& name, const std::string& type) {
  Endpoint::require().peers().agent().ask<control::Done>(control::MailboxWish{0, name, type, true, {}});
}

void find_mailbox(const std::string& name, const std::string& type, const Address& lost,
                  std::function<void(const Address& owner, const std::exception_ptr& error)> then) {
  Endpoint::require().find_mailbox(name, type, lost, std::move(then));
}

// Who posts need not wait for anything afterwards: a server has its carrier then, the program its progress.
void Endpoint::find_mailbox(const std::string& name, const std::string& type, const Address& lost, WhenFound then) {
  need_progress();
  auto hear = [this, carrier = carrier_, then = std::move(then)](const control::MailboxAt* found, const std::exception_ptr& error) {
    delay_point("mailbox: heard who reads it");
    const Address owner = found != nullptr ? found->owner : Address{};
    if (!error && owner == facts().address) return;  // it is being made its reader by another thread, who knows
    then(owner, error);
    peers_.links().something_changed();
    wake_waiters();
    if (serves()) carrier->look_around_soon();
  };
  peers_.agent().ask_later<control::MailboxAt>(control::MailboxWish{0, name, type, false, lost}, std::move(hear));
}

void Endpoint::look_around() {
  Use mine(*this);
  if (auto office = this->office()) office->look_around();
}

void post(const Address& to, const wire::SmallFrame& frame) { Endpoint::require().post_small(to, frame, Endpoint::when_full::see_off); }

void post(const Address& to, wire::Outgoing& frame) { Endpoint::require().post_frame(to, frame, Endpoint::when_full::see_off); }

void Endpoint::post_small(const Address& to, const wire::SmallFrame& frame, when_full how) {
  constexpr auto header_bytes = sizeof(wire::FrameHeader);
  if (Reading reading(*this); reading) {
    if (send_by_lane(to, tries_to_post(how), [&](const PeerLink& by) { return by.connection->send_small(frame); }) != nullptr)
      return peers_.row().sent(header_bytes + frame.size);
  } else if (peers_.links().send_small(to, frame) == road::sent_now::sent) {
    return count_sent(header_bytes + frame.size);
  }
  auto out = whole(frame);
  send_letter(to, out, how);
}

void Endpoint::post_frame(const Address& to, wire::Outgoing& out, when_full how) {
  if (may_go_now(out)) {
    fill_header(out.header, to, wire::frame_kind::post, out.header.method);
    out.seal();
    // Where something is kept there may be no room for long.
    auto send = [&](const PeerLink& by) { return by.connection->flush() ? send_now(by, out) : road::sent_now::no; };
    Reading reading(*this, Reading::to::send);
    if (reading && send_by_lane(to, tries_to_post(how), send) != nullptr) return peers_.row().sent(frame_bytes(out));
  }
  send_letter(to, out, how);
}

// In a crowd who is to make room does not run just now.
int Endpoint::tries_to_post(when_full how) const { return how == when_full::keep || peers_.bell().crowded() ? 1 : most_tries; }

void post_soon(const Address& to, const wire::SmallFrame& frame) { Endpoint::require().post_small(to, frame, Endpoint::when_full::keep); }
void post_soon(const Address& to, wire::Outgoing& frame) { Endpoint::require().post_frame(to, frame, Endpoint::when_full::keep); }

void wake_waiters() { Endpoint::require().wake_waiters(); }

void read_now() { Endpoint::require().read_now(); }

void Endpoint::read_now() {
  Reading reading(*this);
  if (reading && pumping_ == 0) pump();
}

void adopt_posted(wire::Message& message) { Endpoint::require().adopt_pages(message); }

bool agent_is_gone() noexcept {
  auto* here = Endpoint::current();
  return here == nullptr || here->peers().links().orphaned();
}

void check_alive(const Address& who) {
  auto& peers = Endpoint::require().peers();
  if (auto obituary = peers.links().obituary_of(who)) throw process_died(*obituary);
  if (peers.links().orphaned()) throw gone_error("the agent of this program is gone");
}

bool CutOff::look() {
  auto& peers = Endpoint::require().peers();
  if (way_ != nullptr && way_->lost()) return true;
  if (!peers.links().changed(seen_)) return false;
  seen_ = peers.links().version();
  way_ = peers.links().way_to(from_);
  return way_ != nullptr && way_->lost();
}

void CutOff::raise() const { Endpoint::require().peers().links().raise_gone(from_); }

}  // namespace octavo::detail
