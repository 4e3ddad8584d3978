// SPDX-License-Identifier: Apache-2.0
// What is behind the buffers of an array: moves blocks between them and wherever the array lies.
//
//   auto moving = backing->start(false, grid.box_of(17), {grid.box_of(17)}, data);   // a read
//   moving->wait();                                                                 // throws what went wrong
//
// Contract: `parts` lie within `block`, and nothing but them is touched, in memory or where the array lies. `data` is dense, of the shape of a whole block,
// and stays until the moving is over. Two of one block that overlap are not under way together. Threading: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octavo/data/stored.hpp"

namespace octavo::detail {

class Moving {
 public:
  virtual ~Moving() = default;
  [[nodiscard]] virtual bool over() const = 0;
  virtual void wait() = 0;
};

struct BlockMove {
  bool writing = false;
  Box block;               // its corner is the first element of `data`
  std::vector<Box> parts;  // in the array
  std::byte* data = nullptr;
};

class Backing {
 public:
  virtual ~Backing() = default;
  // `tile`: the shape of a whole block.
  virtual std::unique_ptr<Moving> start(const BlockMove& move, const Shape& tile) = 0;
  // Most of this will be written soon, but not all: what else lies between may be made ready for it.
  virtual void expect_write(const Box& /*block*/) {}
  // What was written is on the disk.
  virtual void flush() = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
};

}  // namespace octavo::detail
