// SPDX-License-Identifier: Apache-2.0
// A mailbox at one endpoint: what is posted and taken here, which process reads it, and how much is on its way to that reader (src/message).
#pragma once

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
#include "octavo/road/mpsc_ring.hpp"
#include "octavo/wire/plain.hpp"

namespace octavo::detail {

// How much of one poster may lie unread.
struct MailboxBound {
  std::uint64_t messages = 256, bytes = std::uint64_t{64} << 20;
};

// What a waiting thread polls.
struct Predicate {
  bool (*test)(const void* of);
  const void* of;
  bool operator()() const { return test(of); }
};

// Runs `then` at its own end.
template <class Then>
struct AtEnd {
  Then then;
  ~AtEnd() { then(); }
};
template <class Then>
AtEnd(Then) -> AtEnd<Then>;

// A message for a mailbox, as it came.
struct Posted {
  wire::SmallFrame small;
  std::optional<wire::Message> whole;  // instead, if it is no small one
  Life from;
};

// --- of this thread's endpoint; they throw usage_error without a Runtime ---

// Every thread that waits at this endpoint tests its condition again.
void wake_waiters();
// Reads what has come, if no other thread reads.
void read_now();
[[nodiscard]] bool agent_is_gone() noexcept;
// Before a message's pages are taken out.
void adopt_posted(wire::Message& message);
// Waits, and reads if no other thread does: takes the next message for this mailbox, if that is what comes and it came the short way. False when something
// else comes, or where `here` holds.
bool take_posted(std::uint64_t mailbox, Posted& into, const Predicate& here, std::chrono::steady_clock::time_point deadline);
// Polls `here` for a moment, and reads nothing.
bool comes_here(const Predicate& here);

class MailboxEndpointBase : public std::enable_shared_from_this<MailboxEndpointBase> {
 public:
  MailboxEndpointBase(std::string name, std::string type, MailboxBound bound);
  MailboxEndpointBase(const MailboxEndpointBase&) = delete;
  MailboxEndpointBase& operator=(const MailboxEndpointBase&) = delete;
  virtual ~MailboxEndpointBase() = default;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  // From now on what is posted comes here. Throws refused, usage_error, gone_error.
  void own() {
    if (state() != reader_state::here) become_reader();
  }

  // Where it is read here: from now on it is not. False: it was not.
  bool stop_reading();

  // This process ends: what was posted here goes to the process that reads, if there is one; what nobody reads ends with this process.
  void finish_posting() noexcept;

  // --- by the thread that reads the connections ---
  // This thread waits here, and nothing lies here: a message may be given to arrived() before its bulk has come.
  [[nodiscard]] bool receives_in_place();
  void arrived(wire::Message message, const Life& from);
  // The reader, elsewhere, has taken so much of what was posted here.
  void were_taken(std::uint64_t messages, std::uint64_t bytes);
  // The reader, elsewhere, has said that it reads this no more.
  void reader_left(const Address& reader);
  // Something lies here that nobody has taken, or that has not left yet.
  [[nodiscard]] bool holds_something() const { return has_arrival() || !ring_is_empty(); }
  // Readers were found, or processes have died. May send.
  void look_around();
  // --- by the thread that hears the agent; look_around() follows ---
  void reader_found(const Life& reader, const std::exception_ptr& error);

 protected:
  // found_elsewhere: what was posted here before is being sent to the reader, ahead of anything else.
  enum class reader_state : std::uint8_t { unknown, asked, here, found_elsewhere, elsewhere };
  [[nodiscard]] reader_state state() const noexcept { return state_.load(std::memory_order_acquire); }
  struct Arrival {
    wire::Message message;
    Life from;
  };
  // A value was put into the ring: wakes the reader, asks for one, or sends the value to it.
  void posted_here();
  // Asks the agent who reads this mailbox, unless that is known or asked already. A reader that died may have a successor by now.
  void ask_for_reader();
  // Credit is what the bound leaves. Without any: waits until the reader has taken some; sends nothing; or sends nevertheless.
  enum class without_credit : std::uint8_t { wait_for_reader, do_not_send, send_anyway };
  // To the reader elsewhere. False: nothing was sent, for want of credit or because the reader is not there any more.
  bool send(wire::SmallFrame& frame, without_credit policy);
  bool send(wire::Outgoing& frame, without_credit policy);
  // Until `done`, or the deadline. Throws gone_error if the agent is gone.
  bool wait(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);
  // A value that a waiting thread wants filled: a message whose bulk has not come yet is decoded into it by the same thread, which reads.
  struct InPlaceReceive {
    std::thread::id thread;
    std::function<void(wire::Message& message, const Life& from)> decode;
    bool taken = false;
    std::exception_ptr error;
  };
  // As wait(), until `here` holds or `receive.taken`.
  bool wait_to_receive(InPlaceReceive& receive, const Predicate& here, std::chrono::steady_clock::time_point deadline);
  std::optional<Arrival> take_arrival();
  [[nodiscard]] bool has_arrival() const noexcept { return arrivals_left_.load(std::memory_order_acquire) != 0; }
  // `asked`: the message asks for a receipt.
  void count_taken(const Life& from, std::size_t bytes, bool asked);
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void raise_failed();
  virtual bool forward_one() = 0;  // of the ring, to the reader
  [[nodiscard]] virtual bool ring_is_empty() const = 0;
  [[noreturn]] void raise_undecoded(const Life& from, const error& why) const;

 private:
  struct Amount {
    std::uint64_t messages = 0, bytes = 0;
    void add(std::uint64_t more_bytes) {
      ++messages;
      bytes += more_bytes;
    }
    [[nodiscard]] bool is_a_quarter_of(const MailboxBound& bound) const noexcept { return 4 * messages >= bound.messages || 4 * bytes >= bound.bytes; }
  };
  struct Credit {
    Life reader;
    bool asks_for_receipt = false;
  };
  void become_reader();
  void receive_in_place(wire::Message& message, const Life& from);
  [[noreturn]] void raise_left(const Life& reader);
  std::optional<Credit> take_credit(std::uint64_t bytes, without_credit policy);
  std::optional<Credit> await_credit(std::uint64_t bytes, without_credit policy);
  void give_back_credit(std::uint64_t bytes, bool asked);
  template <class Send>
  bool send_within(std::uint64_t bytes, without_credit policy, std::uint8_t& flags, const Send& send);
  // `said`: the caller throws why, so that is not to be thrown once more. False: it was lost before.
  bool lose(const Life& reader, bool said = false);
  void forward();
  void change_state(reader_state before, reader_state now);
  void keep_error(std::exception_ptr error);

  const std::string name_, type_;
  const std::uint64_t id_;
  const MailboxBound bound_;
  std::atomic<reader_state> state_{reader_state::unknown};
  BiasedLock mutex_;  // of what is below
  Life reader_, lost_;
  Life left_;  // a reader that said so, of which posters have not heard yet
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  Amount under_way_, unasked_;  // unasked: posted since a receipt was asked for
  InPlaceReceive* receive_ = nullptr;
  std::vector<Arrival> arrivals_;  // those before next_arrival_ were taken; its memory is used again and again
  std::size_t next_arrival_ = 0;
  std::atomic<std::size_t> arrivals_left_{0};
  std::map<Life, Amount> owed_;                         // taken, and its poster not told
  std::pair<const Life, Amount>* last_owed_ = nullptr;  // of them
  std::recursive_mutex forwarding_;
};

// The mailbox of that name at this thread's endpoint; made by `make` when there is none yet. Throws usage_error if it is of another type.
std::shared_ptr<MailboxEndpointBase> mailbox_endpoint(const std::string& name, std::string_view type,
                                                      const std::function<std::shared_ptr<MailboxEndpointBase>()>& make);

template <class T>
class MailboxEndpoint final : public MailboxEndpointBase {
 public:
  MailboxEndpoint(std::string name, std::string type, MailboxBound bound)
      : MailboxEndpointBase(std::move(name), std::move(type), bound), ring_(bound.messages) {}

  // False: the bound is reached, and `value` is as it was. A const one is copied where it is not sent at once.
  template <class Value>
  bool post(Value& value, bool may_wait) {
    for (;;) {
      if (has_failed()) raise_failed();
      if (state() == reader_state::elsewhere) {
        if (send_value(value, may_wait ? without_credit::wait_for_reader : without_credit::do_not_send)) return true;
      } else if (push(value)) {
        posted_here();
        return true;
      } else {
        ask_for_reader();
        if (may_wait) wait_for_room();
      }
      if (!may_wait) return false;
    }
  }

  [[nodiscard]] bool has() const { return (static_cast<unsigned>(has_arrival()) | static_cast<unsigned>(ring_.has())) != 0; }

  bool take(T& into, std::chrono::steady_clock::time_point deadline) {
    const Predicate here{[](const void* mailbox) { return static_cast<const MailboxEndpoint*>(mailbox)->has(); }, this};
    for (;;) {
      if (take_from_ring(into)) {
        last_from_here_.store(true, std::memory_order_relaxed);
        return true;
      }
      if (auto arrival = has_arrival() ? take_arrival() : std::nullopt) {
        last_from_here_.store(false, std::memory_order_relaxed);
        decode(into, arrival->message, arrival->from);
        return true;
      }
      if (last_from_here_.load(std::memory_order_relaxed) && comes_here(here)) continue;
      Posted next;
      if (take_posted(id(), next, here, deadline)) {
        last_from_here_.store(false, std::memory_order_relaxed);
        if (next.whole) decode(into, *next.whole, next.from);
        else decode(into, next.small, next.from);
        return true;
      }
      InPlaceReceive receive{std::this_thread::get_id(), [&](wire::Message& message, const Life& by) { decode(into, message, by); }, false, nullptr};
      if (!wait_to_receive(receive, here, deadline)) return false;
      if (receive.taken) return true;
    }
  }

 private:
  static constexpr bool moves = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
  using Held = std::conditional_t<moves, T, std::unique_ptr<T>>;
  static T& value_in(Held& held) {
    if constexpr (moves) return held;
    else return *held;
  }

  bool push(T& value) {
    if constexpr (moves) {
      return ring_.try_push(value);
    } else {
      auto held = std::make_unique<T>(std::move(value));
      if (ring_.try_push(held)) return true;
      value = std::move(*held);
      return false;
    }
  }
  bool push(const T& value) {
    if (!std::is_trivially_copyable_v<T> && ring_.full()) return false;  // a copy costs more than asking
    T copy(value);
    return push(copy);
  }

  bool take_from_ring(T& into) {
    if (!ring_.has()) return false;
    {
      std::lock_guard lock(taking_);
      Held* next = ring_.front();
      if (next == nullptr) return false;
      into = std::move(value_in(*next));
      ring_.pop_front();
    }
    if (wait_for_room_.load() != 0) wake_waiters();
    return true;
  }

  void wait_for_room() {
    ++wait_for_room_;
    const AtEnd leave{[this] { --wait_for_room_; }};
    wait([this] { return state() == reader_state::elsewhere || state() == reader_state::unknown || has_failed() || !ring_.full(); }, forever());
  }

  template <class Value>
  bool send_value(Value& value, without_credit policy) {
    if constexpr (wire::plain<T>) {
      wire::SmallFrame frame;
      frame.size = sizeof value;
      std::memcpy(frame.body.data(), &value, sizeof value);
      return send(frame, policy);
    } else {
      wire::Outgoing out;
      wire::Encoder encoder(out);
      encoder.giving = !std::is_const_v<Value> && policy != without_credit::do_not_send;  // else the value stays as it is
      encoder(value);
      if constexpr (!std::is_const_v<Value>)
        if (encoder.giving && !out.pages.empty()) return send_pages(value, out, policy);
      if (!out.bulk.empty() || !out.pages.empty() || out.body.size() > wire::SmallFrame::most) return send(out, policy);
      wire::SmallFrame frame;
      frame.size = static_cast<std::uint16_t>(out.body.size());
      std::memcpy(frame.body.data(), out.body.data(), out.body.size());
      return send(frame, policy);
    }
  }

  // Pages that were taken out of the value and did not leave are put back.
  bool send_pages(T& value, wire::Outgoing& out, without_credit policy) {
    const AtEnd put_back{[&] {
      if (out.owner.keeper == nullptr) return;
      try {
        wire::Message message = wire::message_of(out);
        message.keeper = std::exchange(out.owner.keeper, nullptr);
        wire::Decoder in(message);
        in(value);
      } catch (const std::exception&) {  // no memory, most likely: the pages are released
      }
    }};
    return send(out, policy);
  }

  [[nodiscard]] bool ring_is_empty() const override { return ring_.empty(); }
  bool forward_one() override {
    T value{};
    if (!take_from_ring(value)) return false;
    send_value(value, without_credit::send_anyway);
    return true;
  }

  void decode(T& into, const wire::SmallFrame& frame, const Life& from) {
    if constexpr (wire::plain<T>) {
      count_taken(from, frame.size, frame.flags != 0);
      if (frame.size < sizeof(T)) wire::raise_bad_plain(sizeof(T), frame.size);
      wire::take_plain_at(frame.body.data(), into);
    } else {
      wire::FrameHeader header;
      header.flags = frame.flags;
      auto message = wire::message_of(header, ByteView(frame.body).first(frame.size));
      decode(into, message, from);
    }
  }
  void decode(T& into, wire::Message& message, const Life& from) {
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
  std::atomic<bool> last_from_here_{false};  // the last message was from this process: the next one is most likely, too
  SpinLock taking_;                          // of the threads that take from the ring
  std::atomic<int> wait_for_room_{0};        // so many threads
};

}  // namespace octavo::detail
