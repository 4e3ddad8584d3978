// SPDX-License-Identifier: Apache-2.0
// The directory of another host into which a link by files puts its messages, over a session of sftp (session.hpp).
//
//   SftpOutbox out(std::make_unique<Session>(how), "/tmp/octavo-files-1f/c-7/d");
//   out.put(7, pieces);                         // on its way as a file; out.move() whenever out.descriptor() is readable
//
// SO-1  A message is written under another name, which is made ahead, and renamed: write, rename and close leave at once, and nobody waits in between.
// SO-2  What the server refuses of a message stays here, and is taken back there. Where its disk is full the message is put again every 50 ms; else it is an
//       error.
// SO-3  With release() it goes on by a thread until everything has been confirmed, for at most 10 s.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "road/net/files/outbox.hpp"
#include "road/net/sftp/session.hpp"

namespace octavo::road::sftp {

class SftpOutbox final : public files::Outbox {
 public:
  SftpOutbox(std::unique_ptr<Session> session, std::string directory);
  ~SftpOutbox() override;

  bool put(std::uint64_t number, std::span<const ByteView> pieces) override;
  void move() override;
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] bool is_settled() const override;
  [[nodiscard]] bool tries_again() const override;
  void release() override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] std::uint64_t operations() const override;  // requests

 private:
  class Core;
  std::unique_ptr<Core> core_;  // null: a thread's affair
  Fd closed_;
  std::string place_;
};

}  // namespace octavo::road::sftp
