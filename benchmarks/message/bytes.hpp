// SPDX-License-Identifier: Apache-2.0
// Bytes that lie in a std::vector, not in the pool, from one process into another: bytes a second, one way.
#pragma once

#include <octavo/message.hpp>
#include <vector>

#include "kit/pinned.hpp"

namespace bench {

using Bytes = std::vector<std::byte>;

class Sink : There {
 public:
  // So many messages, into its own memory, which is there from the second time on.
  void retrieve(const octavo::Mailbox<Bytes>& box, long count) {
    for (long i = 0; i < count; ++i) box.retrieve(own_);
  }
  void take(const Bytes& bytes) { sum_ += bytes.size(); }
  std::size_t taken() { return sum_; }

 private:
  Bytes own_;
  std::size_t sum_ = 0;
};
OCTAVO_REMOTE(Sink, retrieve, take, taken)

class ByteStream {
 public:
  ByteStream();
  double posted(std::size_t bytes);    // retrieved into the receiver's own vector
  double argument(std::size_t bytes);  // of detached calls, one after the other

 private:
  const Bytes& source(std::size_t bytes);
  octavo::remote_ptr<Sink> sink_;
  octavo::Mailbox<Bytes> box_{"bytes"};
  Bytes source_;
};

// How many of a size are a measurement.
long messages_of(std::size_t bytes);

}  // namespace bench
