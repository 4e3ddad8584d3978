// SPDX-License-Identifier: Apache-2.0
// A walk through pieces of memory as if they were one: what send() is offered.
//
//   Gather from(pieces);
//   while (from.left() != 0) use(from.next(4096));   // contiguous, never empty
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "octavo/base/bytes.hpp"

namespace octavo::road::tls {

class Gather {
 public:
  explicit Gather(std::span<const ByteView> pieces) : pieces_(pieces) {
    for (auto piece : pieces) left_ += piece.size();
  }
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] std::size_t done() const { return done_; }

  ByteView next(std::size_t most) {
    while (at_ == pieces_.front().size()) {
      pieces_ = pieces_.subspan(1);
      at_ = 0;
    }
    const auto piece = pieces_.front().subspan(at_, std::min(most, pieces_.front().size() - at_));
    at_ += piece.size();
    left_ -= piece.size();
    done_ += piece.size();
    return piece;
  }

 private:
  std::span<const ByteView> pieces_;
  std::size_t at_ = 0, left_ = 0, done_ = 0;
};

}  // namespace octavo::road::tls
