// SPDX-License-Identifier: Apache-2.0
#include "process/post/mailbox_transport.hpp"

#include "octavo/base/log.hpp"

namespace octavo::detail {

MailboxTransport::MailboxTransport(Endpoint& core) : core_(core), around_(core.around()), poller_(core.poller()) {
  for (const auto kind : {wire::frame_kind::post, wire::frame_kind::taken}) core.frames().add<&MailboxTransport::take>(kind, *this);
  core.frames().add_landing<&MailboxTransport::lands>(wire::frame_kind::post, *this);
}

std::shared_ptr<PostHandler> MailboxTransport::handler(const std::function<std::shared_ptr<PostHandler>()>& make) {
  std::lock_guard lock(handler_mutex_);
  if (!handler_) {
    handler_ = make();
    has_handler_.store(true, std::memory_order_release);
  }
  return handler_;
}

std::shared_ptr<PostHandler> MailboxTransport::handler() {
  if (!has_handler_.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(handler_mutex_);
  return handler_;
}

void MailboxTransport::take(wire::Message& message, const PeerLink& from) {
  if (auto handler = this->handler()) return handler->take(std::move(message), from.facts.address);
  log_line("process " + std::to_string(from.facts.address.object) + " posted to a mailbox that is not here: it is dropped");
}

// What a thread waits for at a mailbox is decoded in its place.
bool MailboxTransport::lands(const wire::FrameHeader& header) {
  auto handler = this->handler();
  return handler != nullptr && handler->lands(header.method);
}

void MailboxTransport::something_changed() {
  if (auto handler = this->handler()) handler->look_around();
}

// A thread that posts need not wait for anything afterwards: a server has its background sender then, the program its progress.
void MailboxTransport::find(const std::string& name, const std::string& type, const Address& lost, WhenFound then) {
  core_.need_progress();
  auto hear = [&core = core_, background = core_.sender().background(), then = std::move(then)](const control::MailboxAt* found,
                                                                                                const std::exception_ptr& error) {
    delay_point("mailbox: heard who reads it");
    const Address owner = found != nullptr ? found->owner : Address{};
    if (!error && owner == core.around().self.address) return;  // another thread is being made its reader, and knows
    then(owner, error);
    core.around().links.something_changed();
    core.poller().waiters().wake();
    if (core.context().serves()) background->look_around_soon();
  };
  around_.agent.ask_later<control::MailboxAt>(control::MailboxWish{0, name, type, false, lost}, std::move(hear));
}

}  // namespace octavo::detail
