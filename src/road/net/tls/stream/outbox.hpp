// SPDX-License-Identifier: Apache-2.0
// Sealed records on their way into the socket. What is sealed can be neither taken back nor sealed again, and what send() took must
// arrive without further calls (L-2, L-5); so records are made only as the kernel certainly takes them, and what it has not taken after
// all (it is short of memory) stays here until flush().
//
//   while (outbox.room(socket) > piece.size() + record_overhead) {
//     session.write(piece);                     // puts its record
//     if (!outbox.flush(socket)) break;         // the kernel is full, or error() says what broke
//   }
#pragma once

#include <cstddef>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::tls {

inline constexpr std::size_t most_content = 16384, record_overhead = 5 + 1 + 16;  // a header, the type, a tag

class Outbox {
 public:
  // Of records in one system call. Each wakes who receives: with 8 records of 16 KiB pages go 0.9 times as fast, with one by one 0.7.
  static constexpr std::size_t most_batch = 16 * (most_content + record_overhead);

  Outbox() { bytes_.reserve(most_batch + 64); }  // and a key update or alert
  // How many bytes of records may be made now; 0: wait for POLLOUT, which comes when there is room again.
  std::size_t room(int socket);
  void put(ByteView record) { bytes_.insert(bytes_.end(), record.begin(), record.end()); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - begin_; }
  [[nodiscard]] ByteView bytes() const { return ByteView(bytes_).subspan(begin_); }
  bool flush(int socket);  // whether nothing is left
  [[nodiscard]] int error() const { return error_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, known_room_ = 0;
  int error_ = 0;
};

}  // namespace octavo::road::tls
