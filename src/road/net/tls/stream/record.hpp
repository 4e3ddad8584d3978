// SPDX-License-Identifier: Apache-2.0
// The records of an established TLS 1.3 connection (RFC 8446, section 5), sealed from and opened into the caller's own memory.
// OpenSSL does the handshake and the AES; its SSL_write and SSL_read would copy every byte once more on each side (pages went 1.2 to 1.6
// times as fast without, measured turn about with SSL_write into the same batches). The bytes on the wire are the same:
// tests/unit/road/tls/record_test.cpp has OpenSSL itself at the other end.
//
//   Sealer sealer(secrets.ours);
//   std::size_t n = sealer.seal(content::data, from, from.left(), room);   // room for n bytes of content and record_overhead
//   Opener opener(secrets.theirs);
//   bool proven = opener.open(record, into, type);
//
// Failure: what only OpenSSL can get wrong is an io_error. After open() said false nothing more may be opened.
#pragma once

#include <array>
#include <cstdint>

#include "octavo/base/bytes.hpp"
#include "road/net/tls/openssl/objects.hpp"
#include "road/net/tls/stream/pieces.hpp"

namespace octavo::road::tls {

inline constexpr std::size_t header_bytes = 5, tag_bytes = 16;
inline constexpr std::size_t record_overhead = header_bytes + 1 + tag_bytes;  // with the type, which is encrypted too
inline constexpr std::size_t most_content = 16384;

enum class content : std::uint8_t { alert = 21, handshake = 22, data = 23 };

using TrafficSecret = std::array<std::byte, 32>;

// What the handshake leaves: one secret a direction. Wiped with its memory.
struct Secrets {
  TrafficSecret ours{}, theirs{};
  Secrets() = default;
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;
  ~Secrets();
};

// How long a record that begins so is; 0: nothing that this link sends begins so. `begin` holds header_bytes.
std::size_t record_bytes(ByteView begin);

// The cipher of one direction under its present keys.
class Direction {
 public:
  Direction(const TrafficSecret& secret, bool sealing);
  ~Direction();
  void next_keys();                                                  // RFC 8446, 7.2
  [[nodiscard]] std::uint64_t records() const { return sequence_; }  // under the present keys

 protected:
  void begin(ByteView header);  // the next record: its nonce, and its header as what is proven but not encrypted
  CipherContext cipher_;

 private:
  void derive();
  TrafficSecret secret_;
  std::array<unsigned char, 12> iv_{};
  std::uint64_t sequence_ = 0;
  bool sealing_;
};

class Sealer : public Direction {
 public:
  explicit Sealer(const TrafficSecret& secret) : Direction(secret, true) {}
  // A record of the next n bytes, at most most_content. How long it is.
  std::size_t seal(content type, Gather& from, std::size_t n, std::byte* room);
};

class Opener : public Direction {
 public:
  explicit Opener(const TrafficSecret& secret) : Direction(secret, false) {}
  // A whole record, into the next bytes of `into`, which has room for its content. False: it is not the peer's, or was altered;
  // what was written is wiped.
  bool open(ByteView record, Scatter& into, content& type);
};

}  // namespace octavo::road::tls
