// SPDX-License-Identifier: Apache-2.0
// The thread road: between two threads of one program. It obeys the contract of connection.hpp like every road.
//
//   ThreadRoad road(bell_of_a, bell_of_b, keeper);
//   auto [a, b] = road.ends();
#pragma once

#include <memory>

#include "octavo/road/connection.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road {

class ThreadRoad {
 public:
  // Each side's keeper releases pages of messages that nobody takes there.
  ThreadRoad(Doorbell first, Doorbell second, wire::PageKeeper* first_keeper = nullptr, wire::PageKeeper* second_keeper = nullptr);
  void set_keeper(int side, wire::PageKeeper* keeper) const;  // of a side that came later
  [[nodiscard]] ConnectionPair ends() const;

 private:
  struct Pipe;
  class End;
  std::shared_ptr<Pipe> pipe_;
};

}  // namespace octavo::road
