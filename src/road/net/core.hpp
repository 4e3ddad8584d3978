// SPDX-License-Identifier: Apache-2.0
// What a relay consists of. Everything below the mutex belongs to its thread: relay.cpp has the doors for other threads,
// run.cpp the loop, receive.cpp what comes, send.cpp what goes, lives.cpp how channels begin and end.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "octavo/road/relay.hpp"
#include "road/net/channel.hpp"
#include "road/net/vigil.hpp"

namespace octavo::road {

class Relay::Core {
 public:
  Core(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] const Doorbell& bell() const { return bell_; }
  void open(std::uint64_t number, ShmEnd end, Doorbell process, unsigned slot);
  void close(std::uint64_t number) { command({want::close, number, nullptr, std::nullopt}); }
  void refuse(std::uint64_t number) { command({want::refuse, number, nullptr, std::nullopt}); }
  void send_control(ByteView bytes);
  void start();

 private:
  using Channel = net::Channel;
  enum class want : std::uint8_t { open, close, refuse };
  struct Command {
    want what;
    std::uint64_t number;
    std::unique_ptr<ShmRings> rings;
    std::optional<Doorbell> process;
    wire::PageRoute route = {};
    std::uint32_t way_in = 0;
  };
  void command(Command command);

  // run.cpp
  void run();
  void step();
  void obey();
  void sleep();
  bool look(std::span<epoll_event> events, int& n);
  [[nodiscard]] bool something_to_do();
  [[nodiscard]] int patience(Deadline now) const;
  void listen_for_life();
  void lose(const std::string& why);
  void watch(int descriptor, std::uint32_t events, void* tag, int operation);

  // receive.cpp
  void receive();
  [[nodiscard]] Channel* straight();
  void handle(const net::Record& record);
  void greet(const net::Hello& hello);
  void take_data(std::uint64_t number, ByteView bytes);
  void take_page(std::uint64_t number, std::uint64_t bytes);
  void land(Channel& channel, std::size_t bytes);
  void take_credit(std::uint64_t number, std::uint64_t bytes);
  void take_end(std::uint64_t number);
  void written_to(Channel& channel, std::size_t bytes);
  void to_publish(Channel& channel);
  void publish();

  // send.cpp
  void send();
  void fill();
  bool fill_from(Channel& channel);
  bool begin_page(Channel& channel);
  [[nodiscard]] bool owes_much(const Channel& channel) const;
  [[nodiscard]] bool must_speak() const { return !hello_sent_ || owes_ping_ || owes_pong_ || !going_.empty(); }

  // lives.cpp
  void open_here(Command command);
  void refuse_here(std::uint64_t number);
  [[nodiscard]] Channel* find(std::uint64_t number) const;
  Channel& make(std::uint64_t number);
  Channel& of_theirs(std::uint64_t number);
  void deliver();
  void leave(Channel& channel);
  void settle();
  bool settled(Channel& channel);
  void give_back(const Command& command);
  void over_here(std::uint64_t number);

  const RelayEvents events_;
  const RelayOptions options_;
  const Doorbell bell_;

  std::mutex mutex_;
  std::vector<Command> commands_;
  std::vector<std::vector<std::byte>> controls_;  // that the relay's thread has not seen
  std::unordered_set<std::uint64_t> numbers_;     // open here
  bool lost_ = false;
  std::atomic<std::size_t> control_bytes_{0};      // of controls that wait for the link
  std::atomic<bool> called_{false}, stop_{false};  // called_: there are commands or controls

  std::unique_ptr<Link> link_;
  bool linked_ = true;
  bool readable_ = true, blocked_ = false;  // the link may have more; it had no room
  bool greeted_ = false, hello_sent_ = false, pinged_ = false, owes_ping_ = false, owes_pong_ = false;
  std::uint64_t their_window_ = 0;
  Deadline heard_, looked_;  // when something came last; when we last looked whether something had
  net::Vigil vigil_;
  Fd poll_;
  short watched_ = 0;
  net::RecordDecoder decoder_;
  net::Batch batch_;
  net::Blocks blocks_;
  wire::Buffer staging_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Channel>> channels_;
  std::vector<Channel*> order_;    // all of them, for taking turns
  std::vector<Channel*> written_;  // whose rings wait to be published
  std::size_t turn_ = 0, unopened_ = 0;
  std::vector<std::vector<std::byte>> going_;  // controls to be sent, from next_control_ on
  std::size_t next_control_ = 0;
  std::thread thread_;
};

}  // namespace octavo::road
