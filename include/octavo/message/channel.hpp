// SPDX-License-Identifier: Apache-2.0
// A way for values from one object to another, or from thread to thread: one writer, one reader, bounded, without a name.
//
//   auto [out, in] = octavo::channel<Item>({.messages = 256, .bytes = 64 << 20});
//   auto worker = octavo::process.make<Worker>(std::move(in));   // in the worker: while (auto item = in_.retrieve()) use(*item);
//   out.post(Item{1});                                           // waits while 256 lie unread
//   out.close();                                                 // the worker takes what is left, then retrieve() gives nothing
//
// CH-1  What was posted is retrieved once, in the order in which it was posted, wherever the ends are and have been. In the place of a value
//       that had to wait here, and then could not be encoded, retrieve throws an io_error that says why.
// CH-2  post waits while `messages`, or `bytes`, lie unread. (`messages` up to the next power of two within one process, where bytes are not counted.)
// CH-3  After close() the reader takes what is left, and then comes to its end: retrieve gives nothing, and so it does from then on. A writer that ends closes;
//       one that ends because an exception passes it gives the channel up: at its end the reader is told so, once, by a gone_error.
// CH-4  After cancel(), and when the reader ends, what is unread is dropped, and each post throws channel_cancelled; one that waits wakes for it.
// CH-5  When the process of the writer dies, the reader takes what has come, then retrieve throws process_died, once. When that of the reader dies, the next
//       post throws process_died, and those after it gone_error.
// CH-6  An end moves: as an argument, a result, in a message, by std::move. It is gone where it was, and what it left there follows it. It is never copied.
//       An end that has not arrived when its call is over, or when the process that it goes to ends, is lost: the other one is told by a gone_error.
// CH-7  When both ends are gone nothing is left of a channel, in no process and no agent.
// A value travels as in a message (mailbox.hpp): moved within a process, Pages handed over, large data taken from where it lies by a reader that waits.
// Threading: each end is one thread's at a time, and belongs to the object, or Runtime, that made it, or at which it arrived.
// Failure: besides these, usage_error (after close(); of an end that has left; without a Runtime; copied), not_supported (in an object with a name that
// outlives the program), io_error (what came is no T).
#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <optional>
#include <utility>

#include "octavo/message/detail/channel/ends.hpp"

namespace octavo {

using ChannelBound = detail::Bound;

template <class T>
class ChannelWriter {
 public:
  ChannelWriter() = default;
  ChannelWriter(ChannelWriter&& other) noexcept = default;
  ChannelWriter& operator=(ChannelWriter&& other) noexcept {
    if (this == &other) return *this;
    end();
    edge_ = std::move(other.edge_);
    exceptions_ = other.exceptions_;
    return *this;
  }
  ~ChannelWriter() { end(); }

  void post(T&& value) { put(value, true, detail::forever()); }
  void post(const T& value) requires std::copy_constructible<T> { put(value, true, detail::forever()); }
  // False, and the value is as it was, where post would wait; or would wait longer.
  [[nodiscard]] bool try_post(T& value) { return put(value, false, detail::forever()); }
  template <class Rep, class Period>
  [[nodiscard]] bool post_for(T& value, std::chrono::duration<Rep, Period> time) {
    return put(value, true, detail::deadline_after(time));
  }
  // The second time it does nothing. `given_up`: the reader is told at its end that what came is not all.
  void close(bool given_up = false) {
    if (edge_) edge_->close(given_up);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return edge_ != nullptr; }

  void save(wire::Encoder& out) const {
    if (edge_) detail::check_is_moved(out, "writer");
    const auto on_its_way = edge_ ? edge_->give_writer() : detail::WriterOnItsWay{};
    if (edge_) out.carry(detail::custody_of_end(on_its_way.channel, true, on_its_way.hop));
    edge_.reset();
    out(on_its_way);
  }
  void load(wire::Decoder& in) {
    detail::WriterOnItsWay came;
    in(came);
    end();
    edge_ = nullptr;
    if (came.channel == 0) return;
    auto edge = detail::open_channel<T>(came.channel, came.bound);
    edge->writer_arrives(came);
    edge_ = std::move(edge);
    exceptions_ = std::uncaught_exceptions();
  }

 private:
  using Edge = detail::ChannelEdge<T>;
  explicit ChannelWriter(std::shared_ptr<Edge> edge) : edge_(std::move(edge)) {}
  template <class Item>
  friend auto channel(ChannelBound bound);

  template <class Value>
  bool put(Value& value, bool may_wait, std::chrono::steady_clock::time_point deadline) {
    if (!edge_) detail::raise_no_end("writer");
    edge_->check_is_open();
    try {
      if (!edge_->post(value, may_wait, deadline)) return false;
    } catch (const error& why) {
      edge_->post_failed(why);
      throw;
    }
    edge_->was_posted();
    return true;
  }
  void end() noexcept {
    if (edge_) edge_->close(std::uncaught_exceptions() > exceptions_);
  }

  mutable std::shared_ptr<Edge> edge_;
  int exceptions_ = std::uncaught_exceptions();  // that were under way when it came
};

template <class T>
class ChannelReader {
 public:
  ChannelReader() = default;
  ChannelReader(ChannelReader&& other) noexcept = default;
  ChannelReader& operator=(ChannelReader&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    edge_ = std::move(other.edge_);
    return *this;
  }
  ~ChannelReader() { cancel(); }

  // Waits. Nothing: the channel is at its end.
  [[nodiscard]] std::optional<T> retrieve() {
    std::optional<T> value(std::in_place);
    if (!retrieve(*value)) value.reset();
    return value;
  }
  // The same into a value that is there: its memory is used again. False: the channel is at its end.
  bool retrieve(T& into) { return take(into, detail::forever()); }
  // Nothing in that time, or at the end: at_end() says which.
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> retrieve_for(std::chrono::duration<Rep, Period> time) {
    std::optional<T> value(std::in_place);
    if (!take(*value, detail::deadline_after(time))) value.reset();
    return value;
  }
  [[nodiscard]] std::optional<T> try_retrieve() { return retrieve_for(std::chrono::seconds(0)); }
  [[nodiscard]] bool at_end() const noexcept { return edge_ && edge_->inlet().is_over(); }
  // No more is wanted.
  void cancel() noexcept {
    if (edge_) edge_->cancel();
    edge_.reset();
  }
  [[nodiscard]] explicit operator bool() const noexcept { return edge_ != nullptr; }

  void save(wire::Encoder& out) const {
    if (edge_) detail::check_is_moved(out, "reader");
    const auto on_its_way = edge_ ? edge_->give_reader() : detail::ReaderOnItsWay{};
    if (edge_) out.carry(detail::custody_of_end(on_its_way.channel, false, on_its_way.hop));
    edge_.reset();
    out(on_its_way);
  }
  void load(wire::Decoder& in) {
    detail::ReaderOnItsWay came;
    in(came);
    cancel();
    if (came.channel == 0) return;
    auto edge = detail::open_channel<T>(came.channel, came.bound);
    edge->reader_arrives(came);
    edge_ = std::move(edge);
  }

 private:
  using Edge = detail::ChannelEdge<T>;
  explicit ChannelReader(std::shared_ptr<Edge> edge) : edge_(std::move(edge)) {}
  template <class Item>
  friend auto channel(ChannelBound bound);

  bool take(T& into, std::chrono::steady_clock::time_point deadline) {
    if (!edge_) detail::raise_no_end("reader");
    if (edge_->take(into, deadline)) return true;
    if (edge_->inlet().is_over()) edge_->inlet().raise_broken_off();
    return false;
  }

  mutable std::shared_ptr<Edge> edge_;
};

// A new channel: its writer and its reader.
template <class Item>
[[nodiscard]] auto channel(ChannelBound bound = {}) {
  auto edge = detail::open_channel<Item>(detail::new_channel(), bound);
  edge->begin();
  return std::pair(ChannelWriter<Item>(edge), ChannelReader<Item>(edge));
}

}  // namespace octavo
