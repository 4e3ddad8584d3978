// SPDX-License-Identifier: Apache-2.0
// Sealed records on their way into the socket. What is sealed can be neither taken back nor sealed again, and what send() took must
// arrive without further calls (L-2, L-5); so records are made only as the kernel certainly takes them, and what it has not taken after
// all (it is short of memory) stays here until flush().
//
//   while (std::size_t room = outbox.room(socket)) {
//     outbox.put(sealer.seal(type, from, n, outbox.end()));   // n + record_overhead <= room, most_batch
//     if (!outbox.flush(socket)) break;                       // the kernel is full, or error() says what broke
//   }
#pragma once

#include <cstddef>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::tls {

class Outbox {
 public:
  static constexpr std::size_t most_batch = 8 * (16384 + 22);  // of records in one system call: they stay in the second cache

  Outbox() : bytes_(most_batch + 64) {}  // and a key update or alert
  // How many bytes of records may be made now; 0: wait for POLLOUT, which comes when there is room again.
  std::size_t room(int socket);
  [[nodiscard]] std::byte* end() { return bytes_.data() + end_; }
  void put(std::size_t n) { end_ += n; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] ByteView bytes() const { return ByteView(bytes_).subspan(begin_, size()); }
  bool flush(int socket);  // whether nothing is left
  [[nodiscard]] int error() const { return error_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, end_ = 0, known_room_ = 0;
  int error_ = 0;
};

}  // namespace octavo::road::tls
