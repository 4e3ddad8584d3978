// SPDX-License-Identifier: Apache-2.0
// What a Mutex, a Semaphore, a Condition, a Barrier and an Event are: a name, and the lock of that name at the endpoint where it was made, or arrived.
#pragma once

#include <memory>
#include <string>

#include "octavo/process/detail/state.hpp"

namespace octavo {

enum class lock_kind : std::uint8_t;

namespace detail {

class Lock;

class NamedLock {
 public:
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(name_);
    if (is_counted()) archive(initial_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(name_);
    if (is_counted()) archive(initial_);
    if (!name_.empty()) open();
  }

 protected:
  explicit NamedLock(lock_kind kind) noexcept : kind_(kind) {}
  NamedLock(lock_kind kind, std::string name, std::int64_t initial = 0) : kind_(kind), name_(std::move(name)), initial_(initial) { open(); }
  [[nodiscard]] std::int64_t initial() const noexcept { return initial_; }
  // Throws usage_error where there is no name.
  [[nodiscard]] const Lock& lock_of() const {
    if (!lock_) raise_nameless();
    return *lock_;
  }

 private:
  [[nodiscard]] bool is_counted() const noexcept;  // a semaphore, or a barrier
  void open();
  [[noreturn]] void raise_nameless() const;

  lock_kind kind_;
  std::string name_;
  std::int64_t initial_ = 0;  // of a semaphore; or how many come to a barrier
  std::shared_ptr<Lock> lock_;
};

}  // namespace detail
}  // namespace octavo
