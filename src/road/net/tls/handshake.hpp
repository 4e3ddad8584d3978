// SPDX-License-Identifier: Apache-2.0
// One handshake, step by step, until the other side has proven the key.
//
//   Handshake handshake(std::move(socket), context);
//   switch (handshake.step()) {               // whenever the socket is readable, or writable if it asked for that
//     case progress::done: return handshake.link(options);
//     case progress::failed: log(handshake.why()); ...
#pragma once

#include <memory>
#include <string>

#include "octavo/base/fd.hpp"
#include "road/net/tls/context.hpp"
#include "road/net/tls/stream/link.hpp"

namespace octavo::road::tls {

enum class progress : std::uint8_t { reads, writes, done, failed };

class Handshake {
 public:
  Handshake(Fd socket, const Context& context) : context_(context), socket_(std::move(socket)) {}

  progress step();  // after done or failed: no more
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] int error() const { return errno_; }  // why the connection ended, 0: it did not, but was refused
  std::unique_ptr<Link> link(const TlsOptions& options, std::uint64_t most_records_of_a_key = most_records);

 private:
  void begin();
  progress fail(int result);
  progress prove();
  const Context& context_;
  Fd socket_;
  Ssl ssl_;  // from the first step on: a peer that only connects costs little
  std::string why_;
  int errno_ = 0;
};

}  // namespace octavo::road::tls
