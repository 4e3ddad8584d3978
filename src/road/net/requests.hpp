// SPDX-License-Identifier: Apache-2.0
// What other threads ask of a relay's thread: channels to open, refuse or close, and controls to send. They are taken in the order in which they came.
// Threading: any thread; take(), ended() and link_lost() by the relay's.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "road/net/channels.hpp"

namespace octavo::road::net {

class Requests {
 public:
  enum class kind : std::uint8_t { open, close, refuse };
  struct Request {
    kind what;
    std::uint64_t channel;
    std::optional<Opening> opening = {};
  };
  struct Taken {
    std::vector<Request> requests;
    std::vector<Control> controls;
  };

  explicit Requests(const RelayOptions& options) : options_(options) {}

  // Throws usage_error where a channel is to be opened that is open. The relay's thread is to be woken then, and after add_control().
  void add(Request request);
  // Throws usage_error, refused. When the link is lost it does nothing.
  void add_control(Control control);
  [[nodiscard]] bool are_there() const noexcept { return are_there_.load(); }
  [[nodiscard]] Taken take();
  // The number may be opened again.
  void ended(std::uint64_t channel);
  void link_lost();
  // The link is lost, and a channel has not ended.
  [[nodiscard]] bool is_open_after_loss();
  // The sizes of the controls that the link has not taken, summed: the stream that sends one subtracts it.
  [[nodiscard]] std::atomic<std::size_t>& waiting_bytes() noexcept { return waiting_bytes_; }

 private:
  const RelayOptions& options_;
  std::mutex mutex_;
  Taken waiting_;
  std::unordered_set<std::uint64_t> open_;
  bool lost_ = false;
  std::atomic<std::size_t> waiting_bytes_{0};
  std::atomic<bool> are_there_{false};
};

}  // namespace octavo::road::net
