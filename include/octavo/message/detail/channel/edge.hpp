// SPDX-License-Identifier: Apache-2.0
// What one endpoint knows of a mailbox or channel: the values that lie here, what came for its reader (inlet.hpp), and how they leave for a reader elsewhere
// (outlet.hpp). Its Meeting finds the reader: by a name, or as the other end of a channel.
//
//   auto edge = std::make_shared<Edge<int>>(EdgeFacts{id, "mailbox 'numbers'", "int", bound}, meeting);
//   edge->post(value, true);                        // by writers
//   edge->own();  edge->take(value, deadline);      // by the reader
//
// Threading: any, but for what is marked.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>

#include "octavo/base/spin_lock.hpp"
#include "octavo/message/detail/channel/inlet.hpp"
#include "octavo/message/detail/channel/outlet.hpp"
#include "octavo/road/mpsc_ring.hpp"
#include "octavo/wire/plain.hpp"

namespace octavo::detail {

class EdgeBase;

// How the writers of an edge and its reader come to know of each other.
class Meeting {
 public:
  virtual ~Meeting() = default;
  // From now on this process reads. Gives where the number of unread messages is shown; null: nowhere. Throws refused, usage_error, gone_error.
  virtual std::atomic<std::uint64_t>* read_here() = 0;
  // It does not any more; whatever was answered before is heard when this returns. Throws gone_error.
  virtual void leave() = 0;
  // Answered by edge->reader_found(), now or when there is a reader. `lost`: one that is gone.
  virtual void find_reader(const std::shared_ptr<EdgeBase>& edge, const Life& lost) = 0;
};

struct EdgeFacts {
  std::uint64_t id = 0;    // by which frames name it
  std::string text, type;  // as errors name it, and its values
  Bound bound;
  bool numbered = false;  // its messages are: those of a channel
};

class EdgeBase : public std::enable_shared_from_this<EdgeBase> {
 public:
  EdgeBase(EdgeFacts facts, std::unique_ptr<Meeting> meeting);
  EdgeBase(const EdgeBase&) = delete;
  EdgeBase& operator=(const EdgeBase&) = delete;
  virtual ~EdgeBase() = default;

  [[nodiscard]] const EdgeFacts& facts() const noexcept { return facts_; }
  // From now on what is posted comes here. Throws refused, usage_error, gone_error.
  void own() {
    if (outlet_.state() != reader_state::here) become_reader();
  }
  // Where it is read here: from now on it is not. False: it was not.
  virtual bool stop_reading();
  // This process ends: what was posted here goes to the process that reads, if there is one; what nobody reads ends with this process.
  virtual void finish_posting() noexcept;

  // --- by the thread that reads the connections ---
  [[nodiscard]] Inlet& inlet() noexcept { return inlet_; }
  void arrived(wire::Message message, const Life& from);
  // What the reader, elsewhere, has taken of what was posted here; or a writer asks for such a receipt.
  void hear_receipt(const Receipt& receipt, const Life& from);
  // The reader, elsewhere, has said that it reads this no more.
  void reader_left(const Address& reader);
  // Something lies here that nobody has taken, or that has not left yet.
  [[nodiscard]] virtual bool holds_something() const { return inlet_.has() || !ring_is_empty(); }
  // Nobody reads here, nothing lies here, and all that was sent was taken: whoever posts next may begin anew. May send.
  [[nodiscard]] bool is_unused() { return outlet_.state() != reader_state::here && !outlet_.has_failed() && !holds_something() && outlet_.all_was_taken(); }
  // The next post throws why.
  [[nodiscard]] bool has_lost_reader() const noexcept { return outlet_.has_failed(); }
  // Readers were found, or processes have died. May send.
  virtual void look_around();
  // --- by the thread that hears the agent; look_around() follows ---
  void reader_found(const Life& reader, const std::exception_ptr& error) { outlet_.found(reader, error); }

 protected:
  // A value was put into the ring: wakes the reader, asks for one, or sends the value to it.
  void posted_here();
  // Asks who reads, unless that is known or asked already. A reader that died may have a successor by now.
  void ask_for_reader();
  void forward();
  // The reader has gone elsewhere. Not while something is being sent to it, which would find no reader, and be dropped.
  void forget_reader();
  virtual bool forward_one() = 0;  // of the ring, to the reader
  // What came here, for a reader elsewhere: the ends of channels in it arrive here first, so that the agent knows where they go.
  virtual bool forward_again(wire::Message& message, const Life& from) = 0;
  virtual void drop_ring() = 0;
  [[nodiscard]] virtual bool ring_is_empty() const = 0;
  // What lies here, and is for a reader elsewhere.
  [[nodiscard]] virtual bool holds_unsent() const { return !ring_is_empty(); }
  // False: it is about to be there.
  virtual bool forward_next() { return forward_one(); }
  // Its reader has ended here, and whoever still sends to it is told so.
  virtual bool refuses(const Life& /*from*/) { return false; }
  virtual void all_was_forwarded() {}
  // What the other end says of itself: its flag is none of a receipt.
  virtual void hear_of_end(const Receipt& /*said*/, const Life& /*from*/) {}

  const EdgeFacts facts_;
  Inlet inlet_;
  Outlet outlet_;
  static constexpr bool numbers_values = false;  // each that lies in the ring has its number beside it
  std::uint64_t posted_ = 0;                     // of a channel whose writer is here: the number of the last message
  std::recursive_mutex forwarding_;              // while messages are taken from here, and sent to the reader

 private:
  void become_reader();
  void hand_over(const Life& reader) const;

  const std::unique_ptr<Meeting> meeting_;
};

// `Base`: EdgeBase, or what is derived from it.
template <class T, class Base = EdgeBase>
class Edge : public Base {
 public:
  Edge(EdgeFacts facts, std::unique_ptr<Meeting> meeting) : Base(std::move(facts), std::move(meeting)), ring_(facts_.bound.messages) {}

  // False: the bound is reached, or it was at the deadline, and `value` is as it was. A const one is copied where it is not sent at once.
  template <class Posted>
  bool post(Posted& value, bool may_wait, std::chrono::steady_clock::time_point deadline = forever()) {
    for (;;) {
      if (outlet_.has_failed()) outlet_.raise_failed();
      if (outlet_.state() == reader_state::elsewhere) {
        if (send_value(value, posted_ + 1, may_wait ? without_credit::wait_for_reader : without_credit::do_not_send, deadline)) return true;
      } else if (push(value)) {
        this->posted_here();
        return true;
      } else {
        this->ask_for_reader();
        if (may_wait && !wait_for_room(deadline)) return false;
      }
      if (!may_wait || (deadline != forever() && std::chrono::steady_clock::now() >= deadline)) return false;
    }
  }

  [[nodiscard]] bool has() const { return (static_cast<unsigned>(inlet_.has()) | static_cast<unsigned>(ring_.has())) != 0 && (inlet_.has() || ring_is_due()); }

  // False at the deadline, and where nothing will come any more.
  bool take(T& into, std::chrono::steady_clock::time_point deadline) {
    const Predicate here{[](const void* edge) { return static_cast<const Edge*>(edge)->has(); }, this};
    for (;;) {
      if (take_from_ring(into)) {
        last_from_here_.store(true, std::memory_order_relaxed);
        return true;
      }
      if (auto arrival = inlet_.has() ? inlet_.take() : std::nullopt) {
        last_from_here_.store(false, std::memory_order_relaxed);
        decode(into, arrival->message, arrival->from);
        return true;
      }
      if (inlet_.is_over()) return false;
      if (last_from_here_.load(std::memory_order_relaxed) && comes_here(here)) continue;
      Posted next;
      if (take_posted(facts_.id, next, here, deadline)) {
        last_from_here_.store(false, std::memory_order_relaxed);
        if (facts_.numbered && !is_next(next)) continue;
        if (next.whole) decode(into, *next.whole, next.from);
        else decode(into, next.small, next.from);
        return true;
      }
      InPlaceReceive receive{std::this_thread::get_id(), [&](wire::Message& message, const Life& by) { decode(into, message, by); }, false, nullptr};
      if (!inlet_.wait_to_receive(receive, here, deadline)) return false;
      if (receive.taken) return true;
    }
  }

 protected:
  using Base::facts_, Base::inlet_, Base::outlet_, Base::posted_;

 private:
  static constexpr bool moves = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>, numbered = Base::numbers_values;
  using Value = std::conditional_t<moves, T, std::unique_ptr<T>>;
  struct Numbered {
    Value value;
    std::uint64_t number = 0;
  };
  using Held = std::conditional_t<numbered, Numbered, Value>;
  static T& value_in(Held& held) {
    Value* value = nullptr;
    if constexpr (numbered) value = &held.value;
    else value = &held;
    if constexpr (moves) return *value;
    else return **value;
  }
  static std::uint64_t number_of(const Held& held) {
    if constexpr (numbered) return held.number;
    else return 0;
  }

  // What lies here has its memory to itself.
  bool push(T& value) {
    if constexpr (requires { value.own(); }) value.own();
    if constexpr (moves && !numbered) {
      return ring_.try_push(value);
    } else {
      Held held = held_of(std::move(value));
      if (ring_.try_push(held)) return true;
      value = std::move(value_in(held));
      return false;
    }
  }
  Held held_of(T&& value) {
    Value held = [&] {
      if constexpr (moves) return std::move(value);
      else return std::make_unique<T>(std::move(value));
    }();
    if constexpr (numbered) return Numbered{std::move(held), posted_ + 1};
    else return held;
  }
  bool push(const T& value) {
    if (!std::is_trivially_copyable_v<T> && ring_.full()) return false;  // a copy costs more than asking
    T copy(value);
    return push(copy);
  }

  // Of a channel: what came before it, from where the writer was, is here.
  [[nodiscard]] bool ring_is_due() const {
    if constexpr (!numbered) return true;
    else return !inlet_.has_message() && ring_.has() && number_of(*const_cast<road::MpscRing<Held>&>(ring_).front()) == inlet_.next_number();
  }

  // By the reader; or to send it to the reader elsewhere. Gives its number; nothing: there is none.
  std::optional<std::uint64_t> pop_ring(T& into) {
    std::uint64_t number = 0;
    {
      std::lock_guard lock(taking_);
      Held* next = ring_.front();
      if (next == nullptr) return std::nullopt;
      number = number_of(*next);
      into = std::move(value_in(*next));
      ring_.pop_front();
    }
    if (wait_for_room_.load() != 0) wake_waiters();
    return number;
  }
  bool take_from_ring(T& into) {
    if (!ring_.has() || !ring_is_due()) return false;
    const auto number = pop_ring(into);
    if (number && facts_.numbered) inlet_.took(*number);
    return number.has_value();
  }

  // Else it waits for its turn.
  bool is_next(Posted& posted) {
    const auto number = posted.whole ? posted.whole->header.call : posted.small.call;
    if (inlet_.took(number)) return true;
    if (!posted.whole) {
      wire::FrameHeader header;
      std::tie(header.flags, header.call) = std::pair(posted.small.flags, number);
      posted.whole = wire::message_of(header, ByteView(posted.small.body).first(posted.small.size));
    }
    inlet_.arrived(std::move(*posted.whole), posted.from);
    return false;
  }

  bool wait_for_room(std::chrono::steady_clock::time_point deadline) {
    ++wait_for_room_;
    const AtEnd leave{[this] { --wait_for_room_; }};
    const auto settled = [this] {
      const auto state = outlet_.state();
      return state == reader_state::elsewhere || state == reader_state::unknown || outlet_.has_failed() || !ring_.full();
    };
    return wait_at(facts_.text, settled, deadline);
  }

  template <class Posted>
  bool send_value(Posted& value, std::uint64_t number, without_credit policy, std::chrono::steady_clock::time_point deadline = forever()) {
    if constexpr (wire::plain<T>) {
      wire::SmallFrame frame;
      frame.size = sizeof value;
      std::memcpy(frame.body.data(), &value, sizeof value);
      if constexpr (numbered) frame.call = number;
      return outlet_.send(frame, policy, deadline);
    } else {
      wire::Outgoing out;
      if constexpr (numbered) out.header.call = number;
      wire::Encoder encoder(out);
      encoder.giving = !std::is_const_v<Posted> && policy != without_credit::do_not_send;  // else the value stays as it is
      encoder(value);
      if constexpr (!std::is_const_v<Posted>)
        if (encoder.giving && !(out.pages.empty() && out.carried.empty())) return send_given(value, out, policy, deadline);
      if (!out.bulk.empty() || !out.pages.empty() || out.body.size() > wire::SmallFrame::most) return outlet_.send(out, policy, deadline);
      wire::SmallFrame frame;
      frame.size = static_cast<std::uint16_t>(out.body.size());
      std::memcpy(frame.body.data(), out.body.data(), out.body.size());
      if constexpr (numbered) frame.call = number;
      return outlet_.send(frame, policy, deadline);
    }
  }
  // Pages, and ends of channels, that were taken out of the value and did not leave are put back.
  bool send_given(T& value, wire::Outgoing& out, without_credit policy, std::chrono::steady_clock::time_point deadline) {
    bool sent = false;
    const AtEnd put_back{[&] {
      if (sent || (out.owner.keeper == nullptr && out.carried.empty())) return;
      try {
        wire::Message message = wire::message_of(out);
        message.keeper = std::exchange(out.owner.keeper, nullptr);
        wire::Decoder in(message);
        in(value);
      } catch (const std::exception&) {  // no memory, most likely: the pages are released
      }
    }};
    sent = outlet_.send(out, policy, deadline);
    return sent;
  }

  [[nodiscard]] bool ring_is_empty() const override { return ring_.empty(); }
  void drop_ring() override {
    for (T value{}; pop_ring(value);) {}
  }
  bool forward_one() override {
    T value{};
    const auto number = pop_ring(value);
    if (!number) return false;
    send_or_tell(value, *number);
    return true;
  }
  bool forward_again(wire::Message& message, const Life& from) override {
    T value{};
    const auto number = message.header.call;
    const auto why = error_of([&] { decode(value, message, from); });
    if (why) outlet_.send_missing(number, *why);
    else send_or_tell(value, number);
    return true;
  }
  // The reader of a channel waits for each number.
  void send_or_tell(T& value, std::uint64_t number) {
    const auto send = [&] { send_value(value, number, without_credit::send_anyway); };
    if constexpr (!numbered) send();
    else if (const auto why = error_of(send)) outlet_.send_missing(number, *why);
  }
  // Nothing: it went well. Throws gone_error.
  template <class Work>
  static std::optional<std::string> error_of(const Work& work) {
    try {
      work();
      return std::nullopt;
    } catch (const std::exception& e) {
      if (const auto* ours = dynamic_cast<const error*>(&e); ours != nullptr && ours->kind() == error_kind::gone) throw;
      return e.what();
    }
  }

  void decode(T& into, const wire::SmallFrame& frame, const Life& from) {
    if constexpr (wire::plain<T>) {
      inlet_.count_taken(from, frame.size, asks_for_receipt(frame.flags));
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
    inlet_.count_taken(from, bytes, asks_for_receipt(message.header.flags));
    if ((message.header.flags & flag_is_missing) != 0) inlet_.raise_missing(from, message);
    try {
      adopt_posted(message);
      wire::Decoder in(message);
      in(into);
    } catch (const gone_error&) {
      throw;
    } catch (const error& why) {
      inlet_.raise_undecoded(facts_.type, from, why);
    }
  }

  road::MpscRing<Held> ring_;
  std::atomic<bool> last_from_here_{false};  // the last message was from this process: the next one is most likely, too
  SpinLock taking_;                          // of the threads that take from the ring
  std::atomic<int> wait_for_room_{0};        // so many threads
};

}  // namespace octavo::detail
