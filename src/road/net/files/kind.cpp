// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/kind.hpp"

#include <poll.h>

#include <filesystem>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "road/net/files/calls.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {

namespace {

constexpr int most_sleep_ms = 100;  // until the deadline is looked at

class Listener final : public LinkListener {
 public:
  explicit Listener(const std::string& within)
      : run_(std::make_shared<RunDirectory>(within)),
        calls_(calls_of(run_->path())),
        waker_(calls_of(run_->path()), {.linked = true, .trusted = false, .longest_pause = std::chrono::seconds(1)}) {
    waker_.wake();
  }
  [[nodiscard]] std::string address() const override { return std::string(kind.scheme) + "://" + run_->path(); }
  [[nodiscard]] int descriptor() const override { return waker_.descriptor(); }

  std::vector<std::unique_ptr<Link>> take() override {
    waker_.clear();
    std::vector<std::unique_ptr<Link>> links;
    while (const auto name = calls_.next()) {
      waker_.came();
      const std::string connection = run_->path() + "/" + std::filesystem::path(*name).filename().string();
      try {
        links.push_back(
            std::make_unique<FilesLink>(FilesLink::Ends{.in = to_owner(connection), .out = to_dialer(connection), .connection = connection, .run = run_}));
      } catch (const error& failure) {  // that caller's loss only
        log_line("a call by files: " + std::string(failure.what()));
      }
    }
    waker_.sleep();
    if (Clock::now() >= next_beat_) beat();
    return links;
  }

 private:
  void beat() {
    next_beat_ = Clock::now() + between_beats;
    run_->beat();
  }

  std::shared_ptr<RunDirectory> run_;
  Calls calls_;
  Waker waker_;
  Deadline next_beat_ = Clock::now() + between_beats;
};

void call(const std::string& run, const std::string& connection) {
  Folder calls(calls_of(run));
  const std::string name = std::filesystem::path(connection).filename().string();
  for (std::uint64_t number = 1;; ++number) {
    const auto now = calls.claim(number, Call(number, name).pieces());
    if (now == Folder::outcome::done) return;
    if (now == Folder::outcome::no_room) throw io_error("there is no room for a call in '" + run + "'", "Free some (`df`)");
  }
}

}  // namespace

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& /*key*/, const LinkTerms& /*terms*/) {
  return std::make_unique<Listener>(where.empty() ? std::filesystem::temp_directory_path().string() : where);
}

std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& /*key*/, Deadline deadline, const LinkTerms& /*terms*/) {
  check_run(where);
  const std::string connection = connect(where);
  std::unique_ptr<FilesLink> link;
  try {
    link = std::make_unique<FilesLink>(FilesLink::Ends{.in = to_dialer(connection), .out = to_owner(connection), .connection = connection});
    call(where, connection);
  } catch (const error&) {
    leave(connection, [] { return true; });
    throw;
  }
  while (!link->is_greeted()) {
    if (link->lost()) throw io_error("a link by files in '" + where + "' is lost before it began: " + link->why(), "Look whether its program still runs");
    if (Clock::now() >= deadline) {
      link.reset();
      leave(connection, [] { return true; });
      throw timed_out("no answer in '" + where + "' until the deadline", "Look whether its program still runs, and sees what is put there from here");
    }
    pollfd poll{link->descriptor(), POLLIN, 0};
    ::poll(&poll, 1, most_sleep_ms);
  }
  return link;
}

}  // namespace octavo::road::files
