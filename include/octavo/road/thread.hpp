// SPDX-License-Identifier: Apache-2.0
// The thread road: between two threads of one program. It obeys the contract of connection.hpp like every road and,
// being in-process, is where tests inject faults and force races.
//
//   ThreadRoad road(bell_of_a, bell_of_b, keeper);
//   auto [a, b] = road.ends();
//   road.block(); a->send(...); road.unblock();   // frames are held, then delivered
//   road.drop_next(1);                            // the next frame is lost, as a broken road would lose it
//   road.kill(0);                                 // end 0 dies at this instant
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

  void block() const;
  void unblock() const;
  void drop_next(int frames) const;
  void kill(int side) const;

 private:
  struct Crossing;
  class End;
  std::shared_ptr<Crossing> crossing_;
};

}  // namespace octavo::road
