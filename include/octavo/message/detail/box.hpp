// SPDX-License-Identifier: Apache-2.0
// A mailbox as one process knows it: what is posted and taken here, who reads it, and how much is on its way to him (src/message/box.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "octavo/base/biased_lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/spin_lock.hpp"
#include "octavo/process/detail/exchange.hpp"
#include "octavo/process/detail/post.hpp"
#include "octavo/road/mpsc_ring.hpp"
#include "octavo/wire/plain.hpp"

namespace octavo::detail {

// How much of one poster may lie unread.
struct MailboxBound {
  std::uint64_t messages = 256, bytes = std::uint64_t{64} << 20;
};

// What came and lies unread; its places are used again and again.
class Arrivals {
 public:
  struct Arrival {
    wire::Message message;
    Address from;
  };
  void push(Arrival arrival) {
    if (count_ == places_.size()) grow();
    places_[(first_ + count_++) % places_.size()] = std::move(arrival);
  }
  Arrival pop() {
    Arrival first = std::move(places_[first_]);
    first_ = (first_ + 1) % places_.size();
    --count_;
    return first;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  void grow() {
    std::vector<Arrival> more(std::max<std::size_t>(8, 2 * places_.size()));
    for (std::size_t i = 0; i < count_; ++i) more[i] = std::move(places_[(first_ + i) % places_.size()]);
    places_ = std::move(more);
    first_ = 0;
  }
  std::vector<Arrival> places_;
  std::size_t first_ = 0, count_ = 0;
};

class BoxBase {
 public:
  BoxBase(std::string name, std::string type, MailboxBound bound);
  BoxBase(const BoxBase&) = delete;
  BoxBase& operator=(const BoxBase&) = delete;
  virtual ~BoxBase() = default;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  // From now on what is posted comes here. Throws refused, usage_error, gone_error.
  void own() {
    if (where() != state::mine) become_reader();
  }
  // The reader's.
  [[nodiscard]] bool lands();
  void arrived(wire::Message message, const Address& from);
  void were_taken(std::uint64_t messages, std::uint64_t bytes);
  void look_around();

 protected:
  enum class state : std::uint8_t { unknown, asked, mine, found, theirs };  // found: theirs, but what was posted before goes first
  [[nodiscard]] state where() const noexcept { return state_.load(std::memory_order_acquire); }
  using Arrival = Arrivals::Arrival;
  // A value lies in the ring: whoever reads, or is to be found, is told.
  void posted_here();
  // He may have been found again, since he was not.
  void ask_again() {
    if (where() == state::unknown) ask();
  }
  // To the owner, who is elsewhere. False: he is not any more, or there is no room now and `how` does not wait for it.
  enum class room : std::uint8_t { wait, now, beyond };  // beyond the bound
  bool send(wire::SmallFrame& frame, room how);
  bool send(wire::Outgoing& frame, room how);
  // Until `done`, or the deadline. Throws what ends all waiting here.
  bool wait(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);
  // Where a message goes whose bulk has not come: into the value that its reader waits to fill.
  struct Place {
    std::thread::id thread;
    std::function<void(wire::Message& message, const Address& from)> decode;
    bool taken = false;
    std::exception_ptr error;
  };
  // As wait(), and a message may land meanwhile; then `place` says so.
  bool wait_to_land(Place& place, const Glance& here, std::chrono::steady_clock::time_point deadline);
  std::optional<Arrival> take_arrival() { return has_arrival() ? take_first_arrival() : std::nullopt; }
  [[nodiscard]] bool has_arrival() const noexcept { return arrivals_left_.load(std::memory_order_acquire) != 0; }
  // `asked`: its poster wants to hear of it.
  void count_taken(const Address& from, std::size_t bytes, bool asked);
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void raise_if_failed() {
    if (has_failed()) raise_failed();
  }
  virtual bool forward_one() = 0;  // of the ring, to the owner
  [[nodiscard]] virtual bool ring_is_empty() const = 0;
  [[noreturn]] void raise_undecoded(const Address& from, const error& why) const;

  SpinLock taking_;  // of those who read here
  std::atomic<int> wait_for_room_{0};

 private:
  struct Owed {
    std::uint64_t messages = 0, bytes = 0;
  };
  void become_reader();
  void ask_for_rest();
  std::optional<Arrival> take_first_arrival();
  void raise_failed();
  void land(wire::Message& message, const Address& from);
  [[nodiscard]] bool is_a_quarter(const Owed& of) const noexcept { return 4 * of.messages >= bound_.messages || 4 * of.bytes >= bound_.bytes; }
  // True, and `owner` is known, if he is elsewhere and there is room for so much. `flags`: of the message.
  bool take_credit(std::uint64_t bytes, room how, Address& owner, std::uint8_t& flags);
  bool await_credit(std::uint64_t bytes, room how, Address& owner, std::uint8_t& flags);
  void give_back_credit(std::uint64_t bytes, std::uint8_t flags);
  template <class Frame>
  bool send_within(Frame& frame, std::uint64_t bytes, room how);
  void ask();
  void found(const Address& owner, const std::exception_ptr& error);
  void lose(const Address& owner);
  void forward();
  void goes_from(state before, state now);
  [[nodiscard]] bool is_elsewhere() const noexcept;
  void keep_error(std::exception_ptr error);

  const std::string name_, type_;
  const std::uint64_t id_;
  const MailboxBound bound_;
  std::atomic<state> state_{state::unknown};
  BiasedLock mutex_;  // of what is below
  Address owner_, lost_;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  Owed under_way_, unasked_;  // unasked: what was posted since the reader was asked how much he has taken
  Place* place_ = nullptr;
  Arrivals arrivals_;
  std::atomic<std::size_t> arrivals_left_{0};
  std::map<Address, Owed> owed_;
  std::pair<const Address, Owed>* last_owed_ = nullptr;  // of them
  std::recursive_mutex forwarding_;
};

// This thread's mailbox of that name; made by `make` when there is none yet. Throws usage_error if it is of another type.
std::shared_ptr<BoxBase> find_box(const std::string& name, std::string_view type, const std::function<std::shared_ptr<BoxBase>()>& make);

template <class T>
class Box final : public BoxBase {
 public:
  using BoxBase::BoxBase;
  Box(std::string name, std::string type, MailboxBound bound) : BoxBase(std::move(name), std::move(type), bound), ring_(bound.messages) {}

  // False: the bound is reached, and `value` is as it was. A const one is copied where it is not sent at once.
  template <class Value>
  bool post(Value& value, bool may_wait) {
    for (;;) {
      raise_if_failed();
      if (where() == state::theirs) {
        if (send_value(value, may_wait ? room::wait : room::now)) return true;
      } else if (push(value)) {
        posted_here();
        return true;
      } else {
        ask_again();
        if (may_wait) wait_for_room();
      }
      if (!may_wait) return false;
    }
  }

  [[nodiscard]] bool has() const { return (static_cast<unsigned>(has_arrival()) | static_cast<unsigned>(ring_.has())) != 0; }

  bool try_take(T& into) {
    if (take_from_ring(into)) {
      last_from_here_.store(true, std::memory_order_relaxed);
      return true;
    }
    if (auto arrival = take_arrival()) {
      last_from_here_.store(false, std::memory_order_relaxed);
      decode(into, arrival->message, arrival->from);
      return true;
    }
    return false;
  }

  bool take(T& into, std::chrono::steady_clock::time_point deadline) {
    const Glance here{[](const void* box) { return static_cast<const Box*>(box)->has(); }, this};
    for (;;) {
      if (try_take(into)) return true;
      if (last_from_here_.load(std::memory_order_relaxed) && comes_here(here)) continue;
      Posted next;
      if (take_posted(id(), next, here, deadline)) {
        last_from_here_.store(false, std::memory_order_relaxed);
        if (next.whole) decode(into, *next.whole, next.from);
        else decode(into, next.small, next.from);
        return true;
      }
      Place place{std::this_thread::get_id(), [&](wire::Message& message, const Address& by) { decode(into, message, by); }, false, nullptr};
      if (!wait_to_land(place, here, deadline)) return false;
      if (place.taken) return true;
    }
  }

 private:
  static constexpr bool moves = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
  using Held = std::conditional_t<moves, T, std::unique_ptr<T>>;
  static Held hold(T& value) {
    if constexpr (moves) return std::move(value);
    else return std::make_unique<T>(std::move(value));
  }
  static T let_go(Held& held) {
    if constexpr (moves) return std::move(held);
    else return std::move(*held);
  }

  bool push(T& value) {
    Held held = hold(value);
    if (ring_.try_push(held)) return true;
    value = let_go(held);
    return false;
  }
  bool push(const T& value) {
    if (!std::is_trivially_copyable_v<T> && ring_.full()) return false;  // where a copy costs more than that look
    T copy(value);
    return push(copy);
  }

  bool take_from_ring(T& into) {
    if (!ring_.has()) return false;
    {
      std::lock_guard lock(taking_);
      Held* next = ring_.front();
      if (next == nullptr) return false;
      into = let_go(*next);
      ring_.pop_front();
    }
    if (wait_for_room_.load() != 0) wake_waiters();
    return true;
  }

  void wait_for_room() {
    ++wait_for_room_;
    try {
      wait([this] { return where() == state::theirs || where() == state::unknown || has_failed() || !ring_.full(); }, forever());
    } catch (...) {
      --wait_for_room_;
      throw;
    }
    --wait_for_room_;
  }

  template <class Value>
  bool send_value(Value& value, room how) {
    if constexpr (wire::plain<T>) {
      wire::SmallFrame frame;
      frame.size = sizeof value;
      std::memcpy(frame.body.data(), &value, sizeof value);
      return send(frame, how);
    } else {
      wire::Outgoing out;
      wire::Encoder encoder(out);
      encoder.giving = !std::is_const_v<Value> && how != room::now;  // else it stays
      encoder(value);
      if constexpr (!std::is_const_v<Value>)
        if (encoder.giving && !out.pages.empty()) return send_pages(value, out, how);
      if (!out.bulk.empty() || !out.pages.empty() || out.body.size() > wire::SmallFrame::most) return send(out, how);
      wire::SmallFrame frame;
      frame.size = static_cast<std::uint16_t>(out.body.size());
      std::memcpy(frame.body.data(), out.body.data(), out.body.size());
      return send(frame, how);
    }
  }

  // Those that were taken out of the value and did not leave are put back.
  bool send_pages(T& value, wire::Outgoing& out, room how) {
    struct PutBack {
      T& value;
      wire::Outgoing& out;
      ~PutBack() {
        if (out.owner.keeper != nullptr) put_back(value, out);
      }
    } put_back{value, out};
    return send(out, how);
  }
  static void put_back(T& value, wire::Outgoing& out) noexcept {
    try {
      wire::Message message = wire::message_of(out);
      message.keeper = std::exchange(out.owner.keeper, nullptr);
      wire::Decoder in(message);
      in(value);
    } catch (const std::exception&) {  // no memory, most likely: the pages are released
    }
  }

  [[nodiscard]] bool ring_is_empty() const override { return ring_.empty(); }
  bool forward_one() override {
    T value{};
    if (!take_from_ring(value)) return false;
    send_value(value, room::beyond);
    return true;
  }

  void decode(T& into, const wire::SmallFrame& frame, const Address& from) {
    if constexpr (wire::plain<T>) {
      count_taken(from, frame.size, frame.flags != 0);
      if (frame.size < sizeof(T)) wire::raise_bad_plain(sizeof(T), frame.size);
      wire::take_plain_at(frame.body.data(), into);
    } else {
      wire::Message message;
      message.header.flags = frame.flags;
      message.body = wire::Buffer(frame.size);
      std::memcpy(message.body.span().data(), frame.body.data(), frame.size);
      decode(into, message, from);
    }
  }
  void decode(T& into, wire::Message& message, const Address& from) {
    const std::size_t bytes = message.body.size() + static_cast<std::size_t>(message.bulk_bytes());
    count_taken(from, bytes, message.header.flags != 0);
    try {
      adopt_posted(message);
      wire::Decoder in(message);
      in(into);
    } catch (const gone_error&) {
      throw;
    } catch (const error& why) {
      raise_undecoded(from, why);
    }
  }

  road::MpscRing<Held> ring_;
  std::atomic<bool> last_from_here_{false};  // from this process: the next one most likely, too
};

}  // namespace octavo::detail
