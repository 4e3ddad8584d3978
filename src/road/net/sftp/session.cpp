// SPDX-License-Identifier: Apache-2.0
#include "road/net/sftp/session.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <random>
#include <sstream>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "road/net/watch.hpp"

namespace octavo::road::sftp {

namespace {

constexpr auto most_tried = std::chrono::seconds(120);
constexpr int patience_ms = 5000;                                      // until a command that was told to end is killed
constexpr std::size_t most_pieces = 64;                                // for one system call
constexpr int most_in_pipe = 1 << 20;                                  // as much as any user may have
constexpr std::size_t most_kept = 4096;                                // of what it said on standard error
constexpr std::size_t least_write = 32 << 10, most_write = 255 << 10;  // of the protocol, and of OpenSSH
constexpr const char* server_of_limits = "limits@openssh.com";

void never_wait(const Fd& end) {
  const int flags = ::fcntl(end.get(), F_GETFL);
  if (flags < 0 || ::fcntl(end.get(), F_SETFL, flags | O_NONBLOCK) < 0) throw io_error_from(errno, "beginning a session of sftp");
  ::fcntl(end.get(), F_SETPIPE_SZ, most_in_pipe);  // a user who has many pipes: it is as it is
}

// Between 100 ms and a second, and twice as long with each try: those who began at once do not come back at once.
std::chrono::milliseconds pause_before(int tries) {
  constexpr unsigned shortest = 100, spread = 900;
  return std::chrono::milliseconds((shortest + std::random_device()() % spread) << std::min(tries, 2));
}

std::string last_line(const std::string& said) {
  std::string line, last;
  for (std::istringstream lines(said); std::getline(lines, line);)
    if (line.find_first_not_of(" \r") != std::string::npos) last = line;
  std::erase_if(last, [](unsigned char c) { return c < ' ' || c == '\x7f'; });
  return last;
}

bool is_plain(const std::string& host) {
  constexpr std::string_view others = "._:@-%";
  return !host.empty() && host.front() != '-' &&
         std::ranges::all_of(host, [&](unsigned char c) { return std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != std::string_view::npos; });
}

}  // namespace

std::vector<std::string> words_for(const std::string& command, const std::string& host) {
  if (!is_plain(host)) throw usage_error("no session of sftp leads to a host that is called '" + host + "'", "Take letters, digits and any of . _ : @ -");
  std::vector<std::string> words;
  std::istringstream text(command);
  for (std::string word; text >> word; words.push_back(word))
    if (const auto at = word.find("{}"); at != std::string::npos) word.replace(at, 2, host);
  if (words.empty() || command.find("{}") == std::string::npos)
    throw usage_error("the command '" + command + "' of a link by sftp leads to no host", "Write {} where ssh has the host: link=\"sftp:ssh -p 2222 {}\"");
  for (const char* word : {"-s", "sftp"}) words.emplace_back(word);
  return words;
}

Session::Session(How how)
    : how_(std::move(how)),
      poll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      tried_until_(Clock::now() + most_tried) {
  if (!poll_ || !timer_) throw io_error_from(errno, "beginning a session of sftp");
  net::watch(poll_, EPOLL_CTL_ADD, timer_.get(), EPOLLIN);
  begin();
}

Session::~Session() { end_command(); }

void Session::begin() {
  run_ = how_.run(how_.words);
  never_wait(run_.input);
  for (const Fd* each : {&run_.output, &run_.errors}) net::watch(poll_, EPOLL_CTL_ADD, each->get(), EPOLLIN);
  waits_for_room_ = false;
  said_.clear();
  came_.clear();
  unsent_.clear();
  unsent_.push_back({Packet(request::init, version).bytes(), {}, {}});
  unsent_.front().left = unsent_.front().own;
  send();
}

void Session::end_command() {
  if (run_.pid < 0) return;
  start_detached("octavo-linger", [pid = run_.pid, pidfd = std::make_shared<Fd>(std::move(run_.pidfd))] {
    pollfd ended{pidfd->get(), POLLIN, 0};
    if (::poll(&ended, 1, patience_ms) != 1) ::kill(-pid, SIGKILL);  // it is stopped, or stuck
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
  });
  run_ = RunningCommand();  // its input ends
}

std::size_t Session::longest_write() const { return can(server_of_limits) ? most_write : least_write; }

void Session::ask(std::uint32_t number, Packet packet, Done done, Bulk bulk) {
  auto& queue = is_open_ ? unsent_ : held_;
  auto& piece = queue.emplace_back(packet.bytes(bulk.bytes.size()), std::move(bulk), ByteView());
  piece.left = piece.own;
  answers_.emplace(number, std::move(done));
}

void Session::send() {
  while (run_.input && !unsent_.empty()) {
    std::array<iovec, 2 * most_pieces> vectors;
    std::size_t count = 0;
    for (auto& piece : unsent_) {
      if (count + 2 > vectors.size()) break;
      for (const auto part : {piece.left, piece.bulk.bytes})
        if (!part.empty()) vectors[count++] = {const_cast<std::byte*>(part.data()), part.size()};
    }
    const ssize_t n = ::writev(run_.input.get(), vectors.data(), static_cast<int>(count));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return wait_for_room(errno == EAGAIN);  // else it has ended: its output says so
    for (auto left = static_cast<std::size_t>(n); left != 0;) {
      auto& piece = unsent_.front();
      for (auto* part : {&piece.left, &piece.bulk.bytes}) {
        const std::size_t passed = std::min(left, part->size());
        *part = part->subspan(passed);
        left -= passed;
      }
      if (piece.left.empty() && piece.bulk.bytes.empty()) unsent_.pop_front();
    }
  }
  wait_for_room(false);
}

void Session::wait_for_room(bool wanted) {
  if (wanted == waits_for_room_ || !run_.input) return;
  waits_for_room_ = wanted;
  if (wanted) net::watch(poll_, EPOLL_CTL_ADD, run_.input.get(), EPOLLOUT);
  else ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, run_.input.get(), nullptr);
}

void Session::receive() {
  constexpr std::size_t portion = 64 << 10;
  for (;;) {
    const std::size_t before = came_.size();
    came_.resize(before + portion);
    const ssize_t n = ::read(run_.output.get(), came_.data() + before, portion);
    const int error = errno;
    came_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && error == EINTR) continue;
    if (n < 0 && error == EAGAIN) return;
    if (n <= 0) return over();
    std::size_t taken = 0;
    while (const auto size = whole(ByteView(came_).subspan(taken))) {
      hear(reply_of(ByteView(came_).subspan(taken, *size)));
      taken += *size;
    }
    came_.erase(came_.begin(), came_.begin() + static_cast<std::ptrdiff_t>(taken));
    if (static_cast<std::size_t>(n) < portion) return;
  }
}

void Session::hear(const Reply& reply) {
  if (!is_open_) {
    if (reply.what != answer::version || reply.number < version)
      throw io_error("the server for sftp of '" + how_.host + "' does not speak version " + std::to_string(version), "OpenSSH's does");
    is_open_ = true;
    can_.insert(reply.can.begin(), reply.can.end());
    for (auto& piece : held_) unsent_.push_back(std::move(piece));
    held_.clear();
    return;
  }
  auto its = answers_.extract(reply.number);
  if (its.empty()) throw io_error("the server for sftp of '" + how_.host + "' answers what it was not asked", "OpenSSH's does not");
  its.mapped()(reply);
}

void Session::hear_errors() {
  std::array<char, 1024> text{};
  while (run_.errors) {
    const ssize_t n = ::read(run_.errors.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    if (n == 0) return run_.errors.reset();
    said_.append(text.data(), static_cast<std::size_t>(n));
    if (said_.size() > 2 * most_kept) said_.erase(0, said_.size() - most_kept);
  }
}

void Session::move() {
  if (run_.pid < 0) {  // it waits for another try
    std::uint64_t count = 0;
    if (::read(timer_.get(), &count, sizeof count) > 0) begin();
    return;
  }
  send();
  hear_errors();
  receive();
  send();  // what the answers have made possible
}

// What a server says that has too many logins already, or a network that is full of them.
bool Session::was_dropped() const {
  constexpr std::array words{"kex_exchange_identification", "Connection reset", "Connection closed"};
  return std::ranges::any_of(words, [this](const char* each) { return said_.find(each) != std::string::npos; });
}

void Session::over() {
  pollfd last{run_.errors.get(), POLLIN, 0};
  for (constexpr int moment_ms = 100; run_.errors && ::poll(&last, 1, moment_ms) == 1;) hear_errors();  // its end comes at once with that of its output
  end_command();
  if (!is_open_ && was_dropped() && Clock::now() < tried_until_) {
    const auto pause = std::chrono::nanoseconds(pause_before(tries_++));
    itimerspec when{};
    when.it_value.tv_sec = pause / std::chrono::seconds(1);
    when.it_value.tv_nsec = (pause % std::chrono::seconds(1)).count();
    if (::timerfd_settime(timer_.get(), 0, &when, nullptr) == 0) return;
  }
  const auto line = last_line(said_);
  throw io_error("the session of sftp with '" + how_.host + "' " + (is_open_ ? "has ended" : "did not begin") + (line.empty() ? "" : ": '" + line + "'"),
                 "`" + how_.words.front() + "` must lead there without a question: try `ssh -o BatchMode=yes " + how_.host +
                     " true` from that machine; or take link=\"ssh\", which logs in from one side only");
}

}  // namespace octavo::road::sftp
