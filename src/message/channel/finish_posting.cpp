// SPDX-License-Identifier: Apache-2.0
// What becomes of what was posted, and has not left, when its writer ends (MB-4).
#include "octavo/base/log.hpp"
#include "octavo/message/detail/channel/edge.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {
constexpr std::chrono::seconds patience_with_answer{5}, patience_with_reader{5};
}  // namespace

// What the road to the reader had no room for leaves as the reader makes some. As long as something moves it is reading.
void EdgeBase::hand_over(const Life& reader) const {
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
  log_line("some of what was posted to " + facts_.text + " is lost: process " + std::to_string(reader.who.object) + ", which reads it, has taken nothing for " +
           std::to_string(patience_with_reader.count()) + " s, and its poster ends");
}

// If there is a reader, it is known once the Meeting has left.
void EdgeBase::finish_posting() noexcept {
  try {
    if (!ring_is_empty() || outlet_.state() == reader_state::found_elsewhere) {
      if (outlet_.state() == reader_state::asked) meeting_->leave();
      const auto is_over = [&] { return !outlet_.reader().who || (ring_is_empty() && outlet_.state() == reader_state::elsewhere); };
      wait_at(facts_.text, is_over, Endpoint::require().around().now() + patience_with_answer);
      if (!ring_is_empty()) return log_line("what was posted to " + facts_.text + " ends with its poster: no process has read it");
    }
    hand_over(outlet_.reader());
  } catch (const std::exception& e) {
    log_line("what was posted to " + facts_.text + " may be lost: " + e.what());
  }
}

}  // namespace octavo::detail
