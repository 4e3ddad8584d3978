// SPDX-License-Identifier: Apache-2.0
// How a buffered array is opened, and what it counts.
//
//   octavo::BufferedOptions paper{.mode = "w", .buffers = 8, .elements = 1 << 20};   // POCCS: so many buffers, so many elements in each
//   octavo::BufferedOptions bound{.mode = "r+", .memory = 1 * octavo::GiB};          // as many as that holds
//   octavo::BufferedCounters seen = u.counters();   std::cerr << seen.text();
//
// Values. Failure: usage_error for what does not fit together, where the array is opened.
#pragma once

#include <cstdint>
#include <string>

#include "octavo/data/storage.hpp"

namespace octavo {

struct BufferedOptions {
  std::string mode = "r";     // "r" to read; "r+" for both; "w" makes a new array, and replaces one of the same kind
  std::int64_t memory = 0;    // bytes of buffers and of what reads ahead, at least 64 KiB; 0: of `buffers` times `elements`, else 256 MiB
  std::int64_t buffers = 0;   // how many; 0: as many as `memory` holds
  std::int64_t elements = 0;  // of a buffer, at most; 0: the 32nd part of `memory`, between 4 KiB and 1 MiB
  std::int64_t threads = 1;   // that have a share of it at once (BufferedArray::share): the buffers are divided among them
  Shape block = {};           // of a buffer; empty: whole rows or chunks of about `elements`
  Shape chunk = {};           // mode "w": of the new array, where its format has chunks; empty: default_chunk
  std::int64_t offset = 0;    // of a raw file: bytes before its first element
  CreateOptions stored = {};  // mode "w"
  bool debug = false;         // each element that is read or written is noted, for sync() (BA-9); then [] is slow
};

struct BufferedCounters {
  std::int64_t buffers = 0, block_bytes = 0;              // what there is
  std::int64_t found = 0;                                 // blocks that were looked for and lay in a buffer
  std::int64_t read = 0, read_ahead = 0, read_again = 0;  // blocks; read_ahead and read_again are among those read
  std::int64_t evicted = 0;                               // blocks that made room
  std::int64_t bytes_read = 0, bytes_written = 0;         // of elements
  double waited = 0;                                      // seconds, for the disk or the devices

  [[nodiscard]] std::string text() const;  // a line a count
};

}  // namespace octavo
