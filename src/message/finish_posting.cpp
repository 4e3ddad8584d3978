// SPDX-License-Identifier: Apache-2.0
// What becomes of what was posted, and has not left, when its poster ends (MB-4).
#include "message/mailbox_registry.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

namespace {

constexpr std::chrono::seconds patience_with_answer{5}, patience_with_reader{5};

// What the road to the reader had no room for leaves as the reader makes some. As long as something moves it is reading.
void hand_over(const std::string& mailbox, const Life& reader) {
  auto& here = Endpoint::require();
  const auto connection = reader.who ? here.around().links.way_to(reader.who) : nullptr;
  if (connection == nullptr) return;
  for (bool moves = true; moves;) {
    const auto sent = connection->bytes_sent();
    bool left = false;
    const auto goes_on = [&] { return (left = connection->flush() || connection->lost() || agent_is_gone()) || connection->bytes_sent() != sent; };
    moves = here.wait(goes_on, here.around().now() + patience_with_reader);
    if (left) return;
  }
  log_line("some of what was posted to mailbox '" + mailbox + "' is lost: process " + std::to_string(reader.who.object) +
           ", which reads it, has taken nothing for " + std::to_string(patience_with_reader.count()) + " s, and its poster ends");
}

}  // namespace

// The agent answers that this process leaves the mailbox at once, and after what it has answered before: if there is a reader, it is known then.
void MailboxEndpointBase::finish_posting() noexcept {
  try {
    if (!ring_is_empty() || state() == reader_state::found_elsewhere) {
      if (state() == reader_state::asked)
        Endpoint::require().around().agent.ask<control::Done>(control::MailboxRequest{0, name_, type_, control::mailbox_use::leave, {}});
      const auto is_over = [&] {
        std::lock_guard lock(mutex_);
        return !reader_.who || (ring_is_empty() && state() == reader_state::elsewhere);
      };
      wait(is_over, Endpoint::require().around().now() + patience_with_answer);
      if (!ring_is_empty()) return log_line("what was posted to mailbox '" + name_ + "' ends with its poster: no process has read it");
    }
    Life reader;
    {
      std::lock_guard lock(mutex_);
      reader = reader_;
    }
    hand_over(name_, reader);
  } catch (const std::exception& e) {
    log_line("what was posted to mailbox '" + name_ + "' may be lost: " + e.what());
  }
}

}  // namespace octavo::detail
