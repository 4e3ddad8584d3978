// SPDX-License-Identifier: Apache-2.0
// The pages an Array's call has in flight: no more bytes than its window, finished in whatever order they come. In whatever order,
// because a page that is there and not taken away may be the very room that the device of the next one waits for.
#pragma once

#include <chrono>
#include <list>

#include "octavo/data/array.hpp"

namespace octavo {

class InFlightWindow {
 public:
  // What is to be done with a block that was read; the write it began, if any.
  using Then = std::function<future<void>(ArrayPage block)>;

  InFlightWindow(std::int64_t window, const Array::Attend& attend);
  // After a failure of a device what the others have begun is awaited; their errors would only say the same again.
  // After attend() threw, or where all went well, there is nothing to await.
  ~InFlightWindow();

  // Waits until a page of `bytes` may be begun.
  void admit(std::int64_t bytes);
  void read(std::int64_t bytes, future<ArrayPage> block, Then then);
  void write(std::int64_t bytes, future<void> written);
  // A page of the pool to be written from. Waits for room, and goes on finishing what is in flight.
  ArrayPage make(dtype type, const Shape& shape);
  // Waits for all.
  void finish_all();
  // For a call that holds room of the pool itself. Where nothing comes, and the pool has no room for what is in flight, `give_back` is called, once: it
  // gives up the call's own room, which may be what the devices wait for. And make() gives private pages then.
  void when_stuck(std::function<void()> give_back);

 private:
  struct Move {
    std::int64_t bytes = 0;
    future<ArrayPage> reading;
    future<void> writing;
    Then then;
    [[nodiscard]] bool ready() const { return reading.valid() ? reading.ready() : writing.ready(); }
  };
  bool wait_for_any();  // false: none came for a while
  void finish_some();
  void look_for_room();
  void tell(std::int64_t bytes);
  bool finish(Move& move);  // whether nothing of it is left
  void attend();

  std::int64_t window_, in_flight_ = 0;
  const Array::Attend& attend_;
  std::chrono::steady_clock::time_point attended_;
  std::chrono::steady_clock::time_point moved_;  // when something last came
  std::function<void()> give_back_;
  bool may_be_private_ = false, is_private_ = false, told_ = false;
  std::list<Move> moves_;
  bool failed_ = false;
};

}  // namespace octavo
