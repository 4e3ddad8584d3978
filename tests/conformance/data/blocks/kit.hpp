// SPDX-License-Identifier: Apache-2.0
// What tests of blocks share: arrays in each format, filled.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kit/watchdog.hpp"
#include "octavo/data/blocks/blocks.hpp"
#include "unit/data/scratch.hpp"

namespace blocks_tests {

namespace ov = octavo;
namespace fs = std::filesystem;

inline ov::Shape moved(ov::Shape index, const ov::Shape& offset) {
  for (int axis = 0; axis < index.size(); ++axis) index[axis] += offset[axis];
  return index;
}

// Formats by the endings of paths; "array" lies on two disks.
class WithArrays : public testing::Test {
 protected:
  ov::Array made(const std::string& name, const std::string& kind, const ov::Shape& shape, const ov::Shape& chunk, ov::dtype type) {
    ov::NewArrayOptions options{.chunk = chunk};
    if (kind == "zstd.zarr") options.stored.compressor = "zstd";
    if (kind == "array")
      for (const char* disk : {"d0", "d1"}) fs::create_directories(options.stored.devices.emplace_back(scratch / (name + disk)));
    return ov::create_array(path_of(name, kind), shape, type, options);
  }
  [[nodiscard]] std::string path_of(const std::string& name, const std::string& kind) const {
    return scratch / (name + (kind == "array" ? ".octavo" : kind.starts_with('.') ? kind : ".zarr"));
  }
  template <class T>
  ov::Array filled(const std::string& name, const std::string& kind, const ov::Shape& shape, const ov::Shape& chunk,
                   const std::vector<std::int16_t>& elements) {
    auto array = made(name, kind, shape, chunk, ov::dtype_of<T>());
    array.write(array.select({}), std::vector<T>(elements.begin(), elements.end()));
    array.flush();
    return array;
  }
  ov::kit::Watchdog watchdog{100};
  ov::test::Scratch scratch;
  ov::Runtime runtime{ov::RuntimeOptions{.memory = 16 * ov::MiB}};
};

}  // namespace blocks_tests
