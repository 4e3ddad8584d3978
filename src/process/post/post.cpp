// SPDX-License-Identifier: Apache-2.0
// What the layer of mailboxes asks of an endpoint.
#include "octavo/process/detail/post.hpp"

#include <utility>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/post/mailbox_transport.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

namespace {
using when_full = Sender::when_full;
Endpoint& core() { return Endpoint::require(); }
MailboxTransport& transport() { return core().feature<MailboxTransport>(); }
LinkTable& links() { return core().around().links; }
}  // namespace

std::shared_ptr<PostOffice> post_office(const std::function<std::shared_ptr<PostOffice>()>& make) { return transport().office(make); }

void own_mailbox(const std::string& name, const std::string& type) { core().around().agent.ask<control::Done>(control::MailboxWish{0, name, type, true, {}}); }

void find_mailbox(const std::string& name, const std::string& type, const Address& lost,
                  std::function<void(const Address& owner, const std::exception_ptr& error)> then) {
  transport().find(name, type, lost, std::move(then));
}

void post(const Address& to, const wire::SmallFrame& frame) { core().sender().post_small(to, frame, when_full::wait_then_hand_over); }
void post(const Address& to, wire::Outgoing& frame) { core().sender().post(to, frame, when_full::wait_then_hand_over); }
void post_soon(const Address& to, const wire::SmallFrame& frame) { core().sender().post_small(to, frame, when_full::hand_over); }
void post_soon(const Address& to, wire::Outgoing& frame) { core().sender().post(to, frame, when_full::hand_over); }

void wake_waiters() { core().poller().waiters().wake(); }

void read_now() { core().poller().read_now(); }

bool take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline) {
  return transport().take_posted(mailbox, into, here, deadline);
}

bool comes_here(const Glance& here) { return transport().comes_here(here); }

void adopt_posted(wire::Message& message) { adopt_pages(core().around().pool, message); }

bool agent_is_gone() noexcept {
  auto* here = Endpoint::current();
  return here == nullptr || here->around().links.orphaned();
}

void check_alive(const Address& who) {
  if (auto obituary = links().obituary_of(who)) throw process_died(*obituary);
  if (links().orphaned()) throw gone_error("the agent of this program is gone");
}

bool CutOff::look() {
  auto& known = links();
  if (way_ != nullptr && way_->lost()) return true;
  if (!known.changed(seen_)) return false;
  seen_ = known.version();
  way_ = known.way_to(from_);
  return way_ != nullptr && way_->lost();
}

void CutOff::raise() const { links().raise_gone(from_); }

}  // namespace octavo::detail
