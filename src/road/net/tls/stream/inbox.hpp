// SPDX-License-Identifier: Apache-2.0
// Bytes from the socket until they are whole records: many of them for one system call.
#pragma once

#include <cstddef>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::tls {

class Inbox {
 public:
  Inbox() : bytes_(8 * (16384 + 22)) {}
  // The bytes that are here.
  [[nodiscard]] ByteView bytes() const { return ByteView(bytes_).subspan(begin_, end_ - begin_); }
  void drop(std::size_t n) { begin_ += n; }
  // One system call. False: nothing came, because nothing is here (error() is 0), or it has ended or broken.
  bool fill(int socket);
  [[nodiscard]] bool drained() const { return drained_; }  // the last fill() took all there was
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] int error() const { return error_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  bool drained_ = false, ended_ = false;
  int error_ = 0;
};

}  // namespace octavo::road::tls
