// SPDX-License-Identifier: Apache-2.0
// The calls that have begun here and are answered later: their methods have returned futures, or are coroutines that wait (C-12).
//
// Nothing is allocated: the replies are the links of the list. Threading: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

class OwedReplies {
 public:
  void add(Reply::Impl& reply) noexcept;
  void remove(Reply::Impl& reply) noexcept;
  [[nodiscard]] bool has(const Address& caller, std::uint64_t call) const;
  // The endpoint ends: returns when nobody uses it any more; from then on every Use is false.
  void close() noexcept;
  // The endpoint is there while this lives, if it is true. `owed`: null for a reply on the stack, whose endpoint is there anyway.
  class Use : NoCopy {
   public:
    explicit Use(OwedReplies* owed) noexcept : owed_(owed) {
      if (owed_ == nullptr) return;
      owed_->users_.fetch_add(1);
      open_ = !owed_->closed_.load();
    }
    ~Use() {
      if (owed_ != nullptr) owed_->users_.fetch_sub(1);
    }
    explicit operator bool() const noexcept { return open_; }

   private:
    OwedReplies* owed_;
    bool open_ = true;
  };
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

 private:
  mutable SpinLock mutex_;
  Reply::Impl* first_ = nullptr;
  std::atomic<std::size_t> size_{0};
  std::atomic<int> users_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace octavo::detail
