// SPDX-License-Identifier: Apache-2.0
// The header of a state file: 4096 bytes, the payload after it to the end of the file.
//
// All numbers little-endian; what is not named is 0:
//     0  magic "\x8fOState\n"          24  generation, 8 bytes          64  when it was saved: milliseconds since 1970, 8 bytes
//     8  format version, 4 bytes       32  bytes of payload, 8 bytes    72  bytes of the class's name, 4 bytes
//    12  state version of the class    40  XXH3-128 of the payload:     76  the class's name, UTF-8, at most 1024 bytes
//    16  object id, 8 bytes                low 8 bytes, high 8 bytes  4088  XXH3-64 of all before it
//
// Threading: none shared. Failure: io_error (damaged, cut off, no state file), not_supported (a later version); each names the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "octavo/base/bytes.hpp"

namespace octavo {

inline constexpr std::size_t state_header_bytes = 4096;

struct StateFacts {
  std::uint64_t object = 0;
  std::uint64_t generation = 0;  // counts the saves of the object, from 1
  std::string class_name{};
  std::uint32_t state_version = 0;  // of the class
  double saved = 0;                 // seconds since 1970, whole milliseconds
  std::uint64_t payload_bytes = 0;
  bool operator==(const StateFacts&) const = default;
};

struct Checksum {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Checksum&) const = default;
};

// XXH3-128 of what is added, piece by piece.
class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  void add(ByteView bytes);
  [[nodiscard]] Checksum value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct StateHeader {
  StateFacts facts;
  Checksum payload;
  bool operator==(const StateHeader&) const = default;
};

// Throws usage_error for a class's name that does not fit.
std::string state_header_text(const StateHeader& header);
// `bytes` is the beginning of the file, the whole header if the file has one; `file` is named in errors.
StateHeader parse_state_header(std::string_view bytes, std::uint64_t file_bytes, const std::string& file);
// What the last 8 bytes of a header are to be.
std::uint64_t state_header_checksum(std::string_view header);

}  // namespace octavo
