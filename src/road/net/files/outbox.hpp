// SPDX-License-Identifier: Apache-2.0
// Where a link by files (link.hpp) puts its messages: a directory that both sides see, or one of another host, which is reached over a session
// (sftp/outbox.hpp).
//
//   if (!out->put(7, pieces)) ...          // no room: nothing is there
//   out->move();                           // what is on its way goes on
//
// OB-1  put() never waits. What it took arrives, each number whole or not at all, as long as move() is called whenever descriptor() is readable.
// OB-2  What cannot arrive any more is an io_error of put() or move(), with the cure; a gone_error where the other side has taken its directory away, which may
//       have sent its last message a moment before. Of what such a put() took nothing is known: it may have arrived.
// OB-3  release(): no message follows. What was put still arrives, if it can, for some seconds, by a thread.
// OB-4  Where may_lend() says so a message's file may be lent: its reader leaves it there, and after was_read() another message is written into it.
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "octavo/base/bytes.hpp"
#include "road/net/files/folder/folder.hpp"
#include "road/net/files/folder/lent_files.hpp"

namespace octavo::road::files {

class Outbox {
 public:
  Outbox() = default;
  virtual ~Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  virtual bool put(std::uint64_t number, std::span<const ByteView> pieces) = 0;
  // OB-4. As put().
  [[nodiscard]] virtual bool may_lend(std::size_t /*bytes*/) const { return false; }
  virtual bool lend(std::uint64_t number, std::span<const ByteView> pieces) { return put(number, pieces); }
  virtual void was_read(std::uint64_t /*number*/) {}
  virtual void move() {}
  [[nodiscard]] virtual int descriptor() const { return -1; }       // -1: put() does all
  [[nodiscard]] virtual bool is_settled() const { return true; }    // all that was put is there
  [[nodiscard]] virtual bool tries_again() const { return false; }  // move() has something to do soon, of which nothing tells
  virtual void release() {}
  [[nodiscard]] virtual std::string place() const = 0;  // for messages
  [[nodiscard]] virtual std::uint64_t operations() const { return 0; }
};

class FolderOutbox final : public Outbox {
 public:
  explicit FolderOutbox(std::string path) : folder_(std::move(path)) {}
  bool put(std::uint64_t number, std::span<const ByteView> pieces) override { return folder_.put(number, pieces) == Folder::outcome::done; }
  [[nodiscard]] bool may_lend(std::size_t bytes) const override { return lent_.may_lend(bytes); }
  bool lend(std::uint64_t number, std::span<const ByteView> pieces) override { return lent_.put(number, pieces) == Folder::outcome::done; }
  void was_read(std::uint64_t number) override { lent_.take_back(number); }
  [[nodiscard]] std::string place() const override { return folder_.path(); }
  [[nodiscard]] std::uint64_t operations() const override { return folder_.operations(); }

 private:
  Folder folder_;
  LentFiles lent_{folder_};
};

}  // namespace octavo::road::files
