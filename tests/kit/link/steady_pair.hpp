// SPDX-License-Identifier: Apache-2.0
// Both ends of a steady link within one program, over carriers that break as often as a test wishes.
//
//   kit::Switchboard board({.most_bytes = 20000});       // each carrier breaks after at most so many bytes
//   auto [calling, called] = board.links();
//   board.hold(true);                                    // nobody gets a carrier
#pragma once

#include <poll.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "kit/link/link_pair.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/steady_link.hpp"

namespace octavo::kit {

class Switchboard {
 public:
  struct Options {
    std::uint64_t most_bytes = 0;  // 0: it does not break by itself
    std::size_t portion = 0, capacity = 10000;
    road::SteadyOptions links = {};
    unsigned seed = 1;
  };
  Switchboard() : Switchboard(Options{}) {}
  explicit Switchboard(const Options& options) : lines_(std::make_shared<Lines>(options)) {}

  std::pair<std::unique_ptr<road::SteadyLink>, std::unique_ptr<road::SteadyLink>> links() const {
    auto called = std::make_unique<road::SteadyLink>(lines_->session, road::SteadyLink::Dial(), lines_->options.links);
    // A link that is closed may go on for a while: it has what it needs.
    auto calling = std::make_unique<road::SteadyLink>(
        lines_->session, [lines = lines_, carriers = called->carriers()] { return lines->connect(carriers); }, lines_->options.links);
    return {std::move(calling), std::move(called)};
  }
  void hold(bool held) const { lines_->held.store(held); }
  // The carrier that is in use breaks.
  void cut() const {
    std::lock_guard lock(lines_->mutex);
    for (int side : {0, 1})
      if (lines_->last) lines_->last->cut_after(side, 0);
  }
  [[nodiscard]] int connections() const { return lines_->connections.load(); }
  [[nodiscard]] const road::Session& session() const { return lines_->session; }

 private:
  struct Lines {
    explicit Lines(const Options& its) : options(its), random(its.seed) {}

    std::unique_ptr<road::Link> connect(const std::shared_ptr<road::Carriers>& carriers) {
      if (held.load()) throw io_error("the cable is out");
      auto pair = std::make_shared<LinkPair>(options.capacity);
      {
        std::lock_guard lock(mutex);
        pair->portions(options.portion);
        for (int side : {0, 1})
          if (options.most_bytes != 0) pair->cut_after(side, random() % options.most_bytes);
        last = pair;
      }
      ++connections;
      // Its first words are read by somebody else, as an engine does.
      std::thread([carriers, there = pair->end(1)]() mutable { listen(*carriers, std::move(there)); }).detach();
      return pair->end(0);
    }

    static void listen(road::Carriers& carriers, std::unique_ptr<road::Link> link) {
      road::SteadyGreeting theirs;
      auto rest = std::as_writable_bytes(std::span(&theirs, 1));
      while (!link->lost()) {
        rest = rest.subspan(link->receive(std::span(&rest, 1)));
        if (rest.empty()) return carriers.carry(std::move(link), theirs);
        pollfd poll{link->descriptor(), link->events(false), 0};
        ::poll(&poll, 1, -1);
      }
    }

    const Options options;
    const road::Session session = road::Session::make();
    std::mutex mutex;
    std::mt19937_64 random;
    std::shared_ptr<LinkPair> last;
    std::atomic<bool> held{false};
    std::atomic<int> connections{0};
  };
  std::shared_ptr<Lines> lines_;
};

}  // namespace octavo::kit
