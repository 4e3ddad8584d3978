// SPDX-License-Identifier: Apache-2.0
// The channels of one relay: which are open, what each may send and how much may still come for it, and how each ends. Moves bytes between the rings of this
// machine's processes and the records of a batch; knows neither the link nor the thread that it runs on.
// channels.cpp: what comes and what goes. channel_life.cpp: how a channel begins and ends.
// Threading: one thread.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "octavo/road/relay.hpp"
#include "road/net/channel.hpp"

namespace octavo::road::net {

// What open() is given: the relay's end of a connection, and the bell of the process that has the other.
struct Opening {
  std::unique_ptr<ShmRings> rings;
  Doorbell process;
  wire::PageRoute route = {};  // of pages to the process
  std::uint32_t way_in = 0;    // of pages from the process
};

class Channels {
 public:
  // `poll` is an epoll that says by a Channel* which process has ended: then socket_ended(). `ended` is told of each channel that was opened, once.
  Channels(const RelayOptions& options, const Fd& poll, std::function<void(std::uint64_t)> ended)
      : options_(options), poll_(poll), ended_(std::move(ended)), blocks_(options.window) {}
  ~Channels();

  void open(std::uint64_t number, Opening opening);
  void refuse(std::uint64_t number);
  void close(std::uint64_t number);
  // An opening that comes to nothing: the pages that its process has handed over are released.
  void give_back(const Opening& opening) const;
  static void socket_ended(void* tag) { static_cast<Channel*>(tag)->socket_ended = true; }

  // What comes over the link. Each throws io_error at what the other side must not send.
  void greet(std::uint64_t window);
  void take_data(std::uint64_t number, ByteView bytes);
  void take_page(std::uint64_t number, std::uint64_t bytes);
  void take_credit(std::uint64_t number, std::uint64_t bytes);
  void take_end(std::uint64_t number);
  // The channel into whose page or ring the next `bytes` of its data can be received without a copy; null: none. room_in() says where, received() how many
  // came.
  [[nodiscard]] Channel* direct(std::uint64_t number, std::size_t bytes) const;
  static std::array<ByteSpan, 2> room_in(Channel& channel, std::size_t bytes);
  void received(Channel& channel, std::size_t bytes);
  // A page has come whole since this was asked last.
  [[nodiscard]] bool page_came() { return std::exchange(page_came_, false); }
  // Makes what has come visible to the processes.
  void publish();

  // Puts what is to be sent into the batch: of each channel in turn, until it is full.
  void fill(Batch& batch);
  // What was kept for want of room goes to the processes that have made some.
  void deliver();
  // Forgets channels that are over at both ends.
  void settle();
  void link_lost();
  // What the processes here have sent until now is still to go over the link, and nothing later.
  void leave_all();
  // Something of a process's is to go over the link, and may: the other side has room for it.
  [[nodiscard]] bool has_to_send() const;
  // So much is to go over the link, whether or not it may yet: bytes, and pages that have not begun.
  [[nodiscard]] std::uint64_t unsent() const;
  // `can_send`: the link has room.
  [[nodiscard]] bool has_work(bool can_send) const;

 private:
  [[nodiscard]] Channel* find(std::uint64_t number) const;
  Channel& make(std::uint64_t number);
  Channel& of_theirs(std::uint64_t number);
  [[nodiscard]] Channel* unopened(std::uint64_t number);
  void leave(Channel& channel);
  bool settled(Channel& channel);
  void page_received(Channel& channel, std::size_t bytes);
  void written_to(Channel& channel, std::size_t bytes);
  void to_publish(Channel& channel);
  bool fill_from(Channel& channel, Batch& batch);
  bool begin_page(Channel& channel, Batch& batch);
  [[nodiscard]] bool owes_much(const Channel& channel) const;

  const RelayOptions& options_;
  const Fd& poll_;
  const std::function<void(std::uint64_t)> ended_;
  Blocks blocks_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Channel>> channels_;
  std::vector<Channel*> order_;    // all of them, for taking turns
  std::vector<Channel*> written_;  // whose rings wait to be published
  std::size_t turn_ = 0, unopened_ = 0;
  std::uint64_t their_window_ = 0;
  bool greeted_ = false, linked_ = true, page_came_ = false;
};

}  // namespace octavo::road::net
