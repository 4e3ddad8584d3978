// SPDX-License-Identifier: Apache-2.0
// What a program does with the array of some Disks. Its cells are the halves of pages.
// Threading: its own, of the Turns.
#pragma once

#include <vector>

#include "schedule/disks/disks.hpp"

namespace octavo::schedule {

class Disks::Program {
 public:
  Program(Disks& world, Host& mine) : world_(world), mine_(mine), id_(mine.around.self.address.agent) {}
  void run();

 private:
  // Some cells of one page.
  struct Part {
    std::size_t device;
    std::vector<std::size_t> cells;
    Box box;
  };
  struct Writing {
    History::Value value;
    future<void> done;
  };
  struct Reading {
    Part part;
    History::Time begun;
    future<ArrayPage> block;
  };

  void act();
  [[nodiscard]] Part part(std::size_t page, std::uint64_t which) const;
  [[nodiscard]] Part any_part();
  static ArrayPage filled(const Part& part, History::Value with);
  History::Value begin_write(const Part& part) { return world_.history_.begin_write(part.device, part.cells, id_); }
  void write(const Part& part);
  void write_behind(const Part& part);
  void read(const Part& part);
  void prefetch(const Part& part);
  // False: it raised.
  bool flush(std::size_t device);
  void end_one(std::size_t at);
  void end_all();
  void end(Writing& one);
  void end(Reading& one);
  // Runs it; where a device was killed, opens the array again. False: it was.
  template <class Do>
  bool unless_killed(const Do& work);

  Disks& world_;
  Host& mine_;
  const std::uint64_t id_;
  Array array_;
  std::vector<Writing> writes_;
  std::vector<Reading> reads_;
};

}  // namespace octavo::schedule
