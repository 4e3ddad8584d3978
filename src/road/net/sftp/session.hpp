// SPDX-License-Identifier: Apache-2.0
// A session of sftp with a host, kept: a command (`ssh HOST -s sftp`) whose input takes requests and whose output gives the answers. Requests go at once, one
// behind the other; nobody waits for the answer of one before the next.
//
//   Session session({.run = terms.run, .words = words_for("ssh -o BatchMode=yes {}", "node1"), .host = "node1"});
//   session.ask(Packet(request::open, session.number()).text(name)..., [](const Reply& reply) { ... });
//   poll(session.descriptor()), session.move();
//
// SF-1  The server does what it is asked for in that order. What is asked before it has said its version is sent then.
// SF-2  A server that drops the login before that, as sshd does where many begin at once (MaxStartups), is tried again for two minutes, after a pause that
// nobody else
//       has.
// SF-3  When the command ends, move() throws io_error with the host, the last line of what the command said, and the cure.
// SF-4  At its end the command is told the end of its input, is killed if it has not ended 5 s later, and is reaped, by a thread. A program that is killed
// takes
//       its commands with it, as their input ends.
// Threading: one thread at a time, which calls `done` in ask() and move().
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "road/net/running_command.hpp"
#include "road/net/sftp/packet.hpp"

namespace octavo::road::sftp {

class Session {
 public:
  struct How {
    std::function<RunningCommand(const std::vector<std::string>& words)> run;
    std::vector<std::string> words;
    std::string host;
  };
  using Done = std::function<void(const Reply&)>;
  // Bytes that a packet ends with, and their owner.
  struct Bulk {
    std::shared_ptr<const std::vector<std::byte>> of;
    ByteView bytes;
  };
  explicit Session(How how);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] std::uint32_t number() { return ++last_number_; }  // of the next request
  void ask(std::uint32_t number, Packet packet, Done done, Bulk bulk = {});
  void move();
  [[nodiscard]] int descriptor() const noexcept { return poll_.get(); }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool can(const std::string& name) const { return can_.contains(name); }
  [[nodiscard]] std::size_t longest_write() const;
  [[nodiscard]] bool is_idle() const { return answers_.empty(); }
  [[nodiscard]] const std::string& host() const noexcept { return how_.host; }

 private:
  struct Piece {
    std::vector<std::byte> own;
    Bulk bulk;
    ByteView left;
  };
  void begin();
  void end_command();
  void send();
  void wait_for_room(bool wanted);
  void receive();
  void hear_errors();
  void hear(const Reply& reply);
  void over();
  [[nodiscard]] bool was_dropped() const;

  How how_;
  Fd poll_, timer_;
  RunningCommand run_;
  bool is_open_ = false, waits_for_room_ = false;
  std::set<std::string> can_;
  std::uint32_t last_number_ = 0;
  std::deque<Piece> unsent_, held_;  // held: until the server's version has come
  std::map<std::uint32_t, Done> answers_;
  std::vector<std::byte> came_;
  std::string said_;  // on standard error, its end
  const Deadline tried_until_;
  int tries_ = 0;
};

// The command, {} being the host, that begins a session. Throws usage_error for one that names no host, and for a host that is no plain word.
std::vector<std::string> words_for(const std::string& command, const std::string& host);

}  // namespace octavo::road::sftp
