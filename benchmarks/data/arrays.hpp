// SPDX-License-Identifier: Apache-2.0
// How fast arrays of processes are read and written: by devices of the program, by devices with names, behind, and by 16 clients over 96 devices.
#pragma once

#include <filesystem>
#include <memory>

#include "octavo/data/named_array.hpp"

namespace bench {

// Files that are written and read again; removed with it, and the lasting agent ended.
class ArrayScene {
 public:
  ArrayScene();
  ~ArrayScene();
  ArrayScene(const ArrayScene&) = delete;
  ArrayScene& operator=(const ArrayScene&) = delete;

  // Seconds for all of the array, by boxes of 16 MiB, two in flight.
  double write_own() { return write(own_); }
  double read_own() { return read(own_); }
  double write_named() { return write(named_); }
  double read_named() { return read(named_); }
  // Until the devices have it in their caches, of 128 MiB.
  double write_behind();
  static constexpr double bytes = 128.0 * (1 << 20);

 private:
  static double write(const octavo::Array& array);
  static double read(const octavo::Array& array);
  std::filesystem::path folder_;
  octavo::Array own_, cached_, named_;
};

// 16 clients, each in a process with a slab of its own, over 96 devices: seconds to write, or to read, 256 MiB.
class WideScene {
 public:
  WideScene();
  ~WideScene();
  WideScene(const WideScene&) = delete;
  WideScene& operator=(const WideScene&) = delete;
  double write();
  double read();
  // As many threads as clients, each with the bytes of a slab in its memory, at files of its own.
  double write_files();
  double read_files();
  static constexpr double bytes = 256.0 * (1 << 20);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bench
