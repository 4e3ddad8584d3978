// SPDX-License-Identifier: Apache-2.0
// The link over messages in files (octavo/road/link.hpp): each message a file in the directory of its reader, opened by the name that is expected next.
//
//   auto link = std::make_unique<FilesLink>(FilesLink::Ends{.in = to_owner(c), .out = to_dialer(c), .connection = c});
//   if (link->is_greeted()) ...
//
// FL-5  A message is a file that is written beside, renamed, read once, and removed by its reader unless it is lent (FL-10). Its number is its name, and never
//       used twice; its head has its length and a checksum: what is not whole yet is looked at again, and after a minute the link is lost. Nothing is listed.
// FL-6  At most 32 messages or 4 MiB are on the way (L-9); receipts go with messages, or alone for half of that.
// FL-7  Where there is no room on the file system, send() takes nothing; a look is taken again.
// FL-9  To another host that mounts nothing of this one's (sftp): each side puts messages into the other's directory over a session of its own (Outbox). Where
//       nothing can be put any more, what the other side has put is still received; then the link is lost with what the session said.
// FL-10 Between processes of one host, where inotify has told of the other's messages, who sent a message takes its file back once it is confirmed, and writes
//       another one into it before it gets that one's name: no file is made or removed then, and no page of the file system's cache.
// FL-8  The first message of each side says which process it is. On the same host its death is the link's end, when what it sent is received. Elsewhere silence
//       tells: what is slow to be seen is waited for 60 s (least_silence()).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/road/link.hpp"
#include "road/net/files/folder/folder.hpp"
#include "road/net/files/message.hpp"
#include "road/net/files/outbox.hpp"
#include "road/net/files/rooms.hpp"
#include "road/net/files/waker.hpp"

namespace octavo::road::files {

class FilesLink final : public Link {
 public:
  struct Ends {
    std::string in, out, connection;
    std::shared_ptr<const void> run = {};    // what must not end before
    std::shared_ptr<Outbox> elsewhere = {};  // instead of `out`: the other side is on another host, and `connection` is this side's alone
    std::function<void()> beat = {};         // of a run that nobody else keeps alive: called now and then
  };
  // Greets. Throws io_error.
  explicit FilesLink(Ends ends, bool inotify = true);
  ~FilesLink() override;
  FilesLink(const FilesLink&) = delete;
  FilesLink& operator=(const FilesLink&) = delete;

  // The other side's greeting has come; takes a look.
  [[nodiscard]] bool is_greeted();
  // What was sent is there.
  [[nodiscard]] bool is_settled() const { return out_->is_settled(); }

  [[nodiscard]] std::size_t send(std::span<const ByteView> pieces) override;
  [[nodiscard]] std::size_t receive(std::span<const ByteSpan> into) override;
  [[nodiscard]] int descriptor() const override { return waker_.descriptor(); }
  [[nodiscard]] short events(bool sending) const override;
  [[nodiscard]] bool lost() const override { return lost_; }
  [[nodiscard]] std::string why() const override { return why_; }
  void close() override;
  [[nodiscard]] std::string_view kind() const override { return other_.is_apart ? "sftp" : "files"; }
  [[nodiscard]] std::chrono::milliseconds least_silence() const override;
  // System calls on files so far (folder.hpp).
  [[nodiscard]] std::uint64_t operations() const noexcept { return in_.operations() + out_->operations(); }

 private:
  // Until bytes are here, or in `rooms`. False: none are.
  bool look(Rooms* rooms = nullptr);
  bool take_next(Rooms* rooms);  // a message, into `rooms` as far as they go; false: none is there, or not whole
  bool await_whole();
  void hear_receipt(const Head& head);
  void hear(const Head& head);
  void greet(ByteView text);
  void sleep();
  [[nodiscard]] bool has_window() const;
  bool put(content what, std::span<const ByteView> pieces);
  [[nodiscard]] bool may_lend(const Head& head) const;
  void confirm();
  [[nodiscard]] bool other_is_dead(int wait_ms = 0) const;
  void guarded(const std::function<void()>& work);
  void lose(const std::string& why);
  void move();
  bool try_out(const std::function<bool()>& work);
  [[nodiscard]] bool is_mute() const { return !mute_.why.empty(); }

  Ends ends_;
  Folder in_;
  std::shared_ptr<Outbox> out_;
  Waker waker_;
  struct OtherSide {
    Fd process;  // where that can be watched
    bool is_dead = false, is_of_own_process = false, is_apart = false, is_beside = false;
  };
  OtherSide other_;
  bool lost_ = false, ended_ = false, greeted_ = false, is_full_ = false;
  std::string why_;
  struct Mute {
    std::string why;  // nothing can be sent any more
    Deadline until = never;
    std::chrono::milliseconds longest{0};
  } mute_;
  // In.
  std::uint64_t next_in_ = 1, received_ = 0, told_ = 0;  // messages with bytes
  std::size_t untold_bytes_ = 0;
  Head head_;                      // of the last message
  std::vector<std::byte> behind_;  // of it, what was not received in its place
  ByteView bytes_;                 // of that, not given yet
  Deadline broken_until_ = never;
  // Out.
  std::uint64_t next_out_ = 1, confirmed_ = 0;
  struct OnTheWay {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    bool is_lent = false;
  };
  std::deque<OnTheWay> on_the_way_;
  std::size_t bytes_on_the_way_ = 0;
};

}  // namespace octavo::road::files
