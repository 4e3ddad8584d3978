// SPDX-License-Identifier: Apache-2.0
// A link within one program. It obeys the contract of link.hpp like every link and is where tests inject faults.
//
//   LinkPair pair;
//   auto a = pair.end(0), b = pair.end(1);       // each once
//   pair.portions(1);                            // every send() takes, and every receive() gives, one byte at most
//   pair.stall(0);  ...  pair.resume(0);         // what end 0 sends is held, as if its program were stopped
//   pair.cut_after(1, 100);                      // the link breaks when end 1 has sent 100 more bytes
//
// Threading: all of these from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "octavo/road/link.hpp"

namespace octavo::kit {

class LinkPair {
 public:
  explicit LinkPair(std::size_t capacity = 64 << 10);  // bytes held for each direction. Throws io_error
  [[nodiscard]] std::unique_ptr<road::Link> end(int side) const;

  void portions(std::size_t most_bytes) const;  // 0: no bound
  void stall(int sender) const;
  void resume(int sender) const;
  // The sender is lost at that byte; the other side when it has received what was sent until then.
  void cut_after(int sender, std::uint64_t bytes) const;

 private:
  struct Shared;
  class End;
  std::shared_ptr<Shared> shared_;
};

}  // namespace octavo::kit
