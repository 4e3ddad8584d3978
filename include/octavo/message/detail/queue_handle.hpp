// SPDX-License-Identifier: Apache-2.0
// What a Queue is, whatever it holds: where it is kept, and how an item goes there and comes back as the bytes that its value was encoded to.
//
//   QueueHandle queue = QueueHandle::make(16, "int");
//   bool room = queue.put([&](wire::Encoder& out) { out(value); }, deadline);      // false: there was none by then
//   bool came = queue.get([&](wire::Decoder& in) { in(value); }, deadline);
//
// Threading: any. Failure: as said in queue.hpp.
#pragma once

#include <functional>
#include <string>

#include "octavo/process/detail/quick_call.hpp"

namespace octavo::detail {

// How a thread waits for the answer: as for a call, or as a binding to another language does. What `wait` throws withdraws what was asked.
struct QueueWaiting {
  SendAside aside = nullptr;
  bool (*wait)(StateBase& state, std::chrono::steady_clock::time_point deadline) = &wait_for;
};

struct QueueFacts {
  std::uint64_t items = 0, unfinished = 0;
  bool shut_down = false;
};

enum class queue_outcome : std::uint8_t;

class QueueHandle {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  QueueHandle() = default;
  // One that is kept there.
  QueueHandle(const Address& keeper, std::uint64_t number, std::uint64_t bound, std::string type)
      : keeper_(keeper), number_(number), bound_(bound), type_(std::move(type)) {}
  // A new one, kept by the object or program that this thread belongs to. `type`: of its items.
  static QueueHandle make(std::uint64_t bound, std::string type);

  [[nodiscard]] const Address& keeper() const noexcept { return keeper_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint64_t bound() const;
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] bool put(const std::function<void(wire::Encoder&)>& encode, Deadline deadline, const QueueWaiting& waiting = {}) const;
  [[nodiscard]] bool get(const std::function<void(wire::Decoder&)>& decode, Deadline deadline, const QueueWaiting& waiting = {}) const;
  void task_done() const;
  void join(const QueueWaiting& waiting = {}) const;
  [[nodiscard]] QueueFacts facts() const;
  void shutdown(bool immediate) const;
  bool operator==(const QueueHandle& other) const noexcept { return keeper_ == other.keeper_ && number_ == other.number_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(keeper_, number_, bound_, type_);
  }
  // Throws usage_error: it arrived where items of another type were meant.
  void check_type(const std::string& wanted) const;

 private:
  void check() const;  // throws usage_error where there is none
  struct Asked;
  [[nodiscard]] wire::Message ask(const Method& method, wire::Outgoing& out, const Asked& how) const;
  [[nodiscard]] wire::Message await(const std::shared_ptr<State<void>>& begun, const Asked& how) const;
  void put_back(const std::shared_ptr<State<void>>& begun, const Asked& how) const;
  [[nodiscard]] bool withdraw(const Asked& how, bool gives_back, Deadline deadline) const;
  void confirm(const Asked& how) const;
  template <class Work>
  auto told_of_its_end(const Work& work) const;

  Address keeper_;
  std::uint64_t number_ = 0, bound_ = 0;
  std::string type_;
};

}  // namespace octavo::detail
