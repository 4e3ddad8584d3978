// SPDX-License-Identifier: Apache-2.0
#include "process/post/mailbox_transport.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

MailboxTransport::MailboxTransport(Endpoint& core) : core_(core), around_(core.around()), poller_(core.poller()) {
  for (const auto kind : {wire::frame_kind::post, wire::frame_kind::taken}) core.frames().add<&MailboxTransport::take>(kind, *this);
  core.frames().add_landing<&MailboxTransport::lands>(wire::frame_kind::post, *this);
}

std::shared_ptr<PostOffice> MailboxTransport::office(const std::function<std::shared_ptr<PostOffice>()>& make) {
  std::lock_guard lock(office_mutex_);
  if (!office_) {
    office_ = make();
    has_office_.store(true, std::memory_order_release);
  }
  return office_;
}

std::shared_ptr<PostOffice> MailboxTransport::office() {
  if (!has_office_.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(office_mutex_);
  return office_;
}

void MailboxTransport::take(wire::Message& message, const PeerLink& from) {
  if (auto office = this->office()) return office->take(std::move(message), from.facts.address);
  log_line("process " + std::to_string(from.facts.address.object) + " posted to a mailbox that is not here: it is dropped");
}

// What a thread waits for at a mailbox is decoded in its place.
bool MailboxTransport::lands(const wire::FrameHeader& header) {
  auto office = this->office();
  return office != nullptr && office->lands(header.method);
}

void MailboxTransport::something_changed() {
  if (auto office = this->office()) office->look_around();
}

// A thread that posts need not wait for anything afterwards: a server has its carrier then, the program its progress.
void MailboxTransport::find(const std::string& name, const std::string& type, const Address& lost, WhenFound then) {
  core_.need_progress();
  auto hear = [&core = core_, carrier = core_.sender().background(), then = std::move(then)](const control::MailboxAt* found, const std::exception_ptr& error) {
    delay_point("mailbox: heard who reads it");
    const Address owner = found != nullptr ? found->owner : Address{};
    if (!error && owner == core.around().self.address) return;  // another thread is being made its reader, and knows
    then(owner, error);
    core.around().links.something_changed();
    core.poller().waiters().wake();
    if (core.context().serves()) carrier->look_around_soon();
  };
  around_.agent.ask_later<control::MailboxAt>(control::MailboxWish{0, name, type, false, lost}, std::move(hear));
}

}  // namespace octavo::detail
