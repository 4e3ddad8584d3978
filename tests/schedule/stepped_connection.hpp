// SPDX-License-Identifier: Apache-2.0
// A connection that lets other threads have their turn before each use of it, and now and then says that there is no room, or no short way.
// Threading: the threads of one Turns.
#pragma once

#include <memory>
#include <utility>

#include "octavo/road/connection.hpp"
#include "schedule/turns.hpp"

namespace octavo::schedule {

class SteppedConnection final : public road::Connection {
 public:
  // There is no room at one use in `full`.
  SteppedConnection(Turns& turns, std::uint64_t full, std::shared_ptr<road::Connection> inner) : turns_(turns), full_(full), inner_(std::move(inner)) {}

  void send(const wire::Outgoing& frame, const road::OnFull& on_full) override {
    turns_.step();
    for (; turns_.one_in(full_); turns_.step())
      if (!lost() && !on_full()) break;  // it would be kept, which the thread road does where it has no room
    inner_->send(frame, on_full);
  }
  bool flush() override {
    turns_.step();
    return inner_->flush();
  }
  bool receive(wire::Message& into, wire::InPlaceReceiver* in_place) override {
    turns_.step();
    return inner_->receive(into, in_place);
  }
  road::sent_now send_now(const wire::Outgoing& frame) override {
    turns_.step();
    return no_room() ? refusal() : inner_->send_now(frame);
  }
  bool receive_answer(std::uint64_t call, wire::Message& into) override {
    turns_.step();
    return inner_->receive_answer(call, into);
  }
  bool receive_for(wire::frame_kind kind, std::uint64_t method, wire::Message& into) override {
    turns_.step();
    return inner_->receive_for(kind, method, into);
  }
  road::sent_now send_small(const wire::SmallFrame& frame) override {
    turns_.step();
    return no_room() ? refusal() : inner_->send_small(frame);
  }
  bool next_small(wire::SmallFrame& into) const override {
    turns_.step();
    return inner_->next_small(into);
  }
  void pop_small() override { inner_->pop_small(); }
  // Whoever looks there spins; what others do meanwhile, they do here.
  [[nodiscard]] road::NextMark next_mark() const override {
    turns_.step();
    return inner_->next_mark();
  }
  [[nodiscard]] wire::FrameHeader header_of(const wire::SmallFrame& frame) const override { return inner_->header_of(frame); }
  // Without a step: some ask with a lock held.
  [[nodiscard]] bool ready() const override { return inner_->ready(); }
  [[nodiscard]] bool got_room() const override { return inner_->got_room(); }
  [[nodiscard]] bool gone() const override { return inner_->gone(); }
  [[nodiscard]] bool lost() const override { return inner_->lost(); }
  void notice_gone() override { inner_->notice_gone(); }
  void close() override { inner_->close(); }
  [[nodiscard]] int watch() const override { return inner_->watch(); }
  [[nodiscard]] std::string_view road() const override { return inner_->road(); }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return inner_->bytes_sent(); }

 private:
  [[nodiscard]] bool no_room() const { return turns_.one_in(full_); }
  [[nodiscard]] road::sent_now refusal() const { return turns_.one_in(2) ? road::sent_now::no_room : road::sent_now::unsuitable; }

  Turns& turns_;
  const std::uint64_t full_;
  const std::shared_ptr<road::Connection> inner_;
};

}  // namespace octavo::schedule
