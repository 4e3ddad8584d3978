// SPDX-License-Identifier: Apache-2.0
// The pages an Array's call has in flight: no more bytes than its window, finished in whatever order they come. In whatever order,
// because a page that is there and not taken away may be the very room that the device of the next one waits for.
#pragma once

#include <chrono>
#include <list>

#include "octavo/data/array.hpp"

namespace octavo {

class Flight {
 public:
  // What is to be done with a block that was read; the write it began, if any.
  using Then = std::function<future<void>(ArrayPage block)>;

  Flight(std::int64_t window, const Array::Attend& attend);
  // After a failure of a device what the others have begun is awaited; their errors would only say the same again.
  // After attend() threw, or where all went well, there is nothing to await.
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Waits until a page of `bytes` may be begun.
  void admit(std::int64_t bytes);
  void read(std::int64_t bytes, future<ArrayPage> block, Then then);
  void write(std::int64_t bytes, future<void> written);
  // A page of the pool to be written from. Waits for room, and goes on finishing what is in flight.
  ArrayPage make(dtype type, const Shape& shape);
  // Waits for all.
  void land();

 private:
  struct Move {
    std::int64_t bytes = 0;
    future<ArrayPage> reading;
    future<void> writing;
    Then then;
    [[nodiscard]] bool ready() const { return reading.valid() ? reading.ready() : writing.ready(); }
  };
  bool wait_for_any(std::chrono::steady_clock::time_point deadline);
  void finish_some();
  bool finish(Move& move);  // whether nothing of it is left
  void attend();

  std::int64_t window_, in_flight_ = 0;
  const Array::Attend& attend_;
  std::chrono::steady_clock::time_point attended_;
  std::list<Move> moves_;
  bool failed_ = false;
};

}  // namespace octavo
