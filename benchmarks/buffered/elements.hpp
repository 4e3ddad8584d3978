// SPDX-License-Identifier: Apache-2.0
// What [] of a buffered array costs while all of it lies in its buffers, beside the same loops over memory: seconds for an element of int32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

class Elements {
 public:
  static constexpr std::int64_t count = std::int64_t{32} << 20;  // 128 MiB
  explicit Elements(std::int64_t threads = 1);
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  double read() const;
  double write();
  double read_by_blocks() const;
  double read_by_a_share() const;
  double write_by_a_share();
  double read_at_random(int bits) const;  // of the first 2^bits elements
  double plain_read() const;              // not vectorised
  double plain_write();
  double vectorised_read() const;
  double plain_read_at_random(int bits) const;

 private:
  struct Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace bench
