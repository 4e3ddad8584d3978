// SPDX-License-Identifier: Apache-2.0
// An established TLS 1.3 connection of OpenSSL's over a socket that does not wait. What it writes goes by the outbox, what it reads comes from the socket.
//
//   Session session(std::move(ssl), socket, outbox);
//   session.write(bytes);                        // one record
//   session.look_again();
//   while (session.read(room, n) == came::bytes) use(room.first(n));
//
// Failure: what only OpenSSL can get wrong is an io_error. After came::nonsense, end and close nothing more is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "road/net/tls/openssl/objects.hpp"
#include "road/net/tls/stream/outbox.hpp"

namespace octavo::road::tls {

enum class came : std::uint8_t { bytes, nothing, close, end, nonsense };

class Session {
 public:
  // `most_records`: under one key, then it is changed.
  Session(Ssl ssl, int socket, Outbox& outbox, std::uint64_t most_records);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // At most most_content bytes, into the outbox.
  void write(ByteView bytes);
  // That this side has closed, if that can still be said.
  void write_close();
  // Whole records that are proven to be the peer's, and no other byte. end: the stream is over without a close, error() says why; 0: it just ended.
  came read(ByteSpan room, std::size_t& n);
  // The socket may have more than it had when it was looked at last.
  void look_again() { looked_ = false; }
  [[nodiscard]] int error() const { return error_; }
  // What was nonsense. The other side was told in the outbox.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  static int to_outbox(BIO* bio, const char* bytes, int size);
  static int from_socket(BIO* bio, char* bytes, int size);
  came judge(int error);
  bool fill();

  BioMethod method_;
  Ssl ssl_;
  int socket_;
  Outbox& outbox_;
  const std::uint64_t most_records_;
  std::uint64_t records_ = 0;  // under the present key
  // What came in one system call: OpenSSL's own buffer for that would move all behind a record, for each record, to align it.
  std::vector<std::byte> inbox_;
  std::size_t begin_ = 0, end_ = 0;
  bool looked_ = false, drained_ = false, ended_ = false;
  int error_ = 0;
  std::string why_;
};

}  // namespace octavo::road::tls
