// SPDX-License-Identifier: Apache-2.0
// The arrays that blocks are read from and written to: those that are there, and those that are opened, or made, for one run.
//
//   const InputArray u(request.inputs[0]);                               // ends the devices that it made
//   NewBlockTarget w("w.zarr", shape, chunk, dtype::float32, options);    // without finish() nothing is left at the path
//   w.finish();
//
// Threading: one thread; their Array as any. Failure: as of open_array and create_array.
#pragma once

#include <string>
#include <vector>

#include "octavo/data/blocks/blocks.hpp"
#include "octavo/data/new_target.hpp"

namespace octavo::detail {

class InputArray {
 public:
  explicit InputArray(const BlockInput& input);
  [[nodiscard]] const Array& array() const { return array_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // as errors call it
  // As it is stored; none where that is not known, or where it has none.
  [[nodiscard]] const Shape& chunk() const { return chunk_; }

 private:
  Array array_;
  std::string name_;
  Shape chunk_;
  std::vector<scoped<PageDevice>> made_;
};

std::vector<InputArray> opened(const std::vector<BlockInput>& inputs);

class NewBlockTarget {
 public:
  NewBlockTarget(const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const NewArrayOptions& options);
  [[nodiscard]] const Array& array() const { return array_; }
  // All that was written is on the disk, and the array has its name.
  void finish();

 private:
  NewTarget target_;
  Array array_;
  std::vector<scoped<PageDevice>> made_;  // they end before what is unfinished is removed
};

std::string name_of_array(const Array& array);
// Whether what is written to one may change the other.
bool is_one_array(const Array& array, const Array& other);

}  // namespace octavo::detail
