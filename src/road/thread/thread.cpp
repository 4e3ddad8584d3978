// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/thread.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <mutex>

#include "octavo/base/error.hpp"

namespace octavo::road {

namespace {

constexpr std::size_t most_queued = 1024;  // frames a direction

wire::Buffer copy_of(ByteView bytes) {
  wire::Buffer copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.span().data(), bytes.data(), bytes.size());
  return copy;
}

wire::Message message_of(const wire::Outgoing& frame) {
  wire::Message message;
  message.header = frame.header;
  message.body = copy_of(frame.body);
  for (auto part : frame.bulk) message.bulk.push_back(copy_of(part));
  message.pages = frame.pages;
  return message;
}

}  // namespace

struct ThreadRoad::Shared {
  Shared(Doorbell first, Doorbell second, wire::PageKeeper* first_keeper, wire::PageKeeper* second_keeper)
      : bells{std::move(first), std::move(second)}, keepers{first_keeper, second_keeper} {}
  struct Lane {  // towards one side
    std::deque<wire::Message> queue;
  };
  std::mutex mutex;
  std::array<Lane, 2> to;
  std::array<bool, 2> dead{};
  bool blocked = false;
  int drop = 0;
  std::array<Doorbell, 2> bells;
  std::array<wire::PageKeeper*, 2> keepers;  // by the side that receives
};

class ThreadRoad::End final : public Connection {
 public:
  End(std::shared_ptr<Shared> shared, int side) : shared_(std::move(shared)), side_(static_cast<std::size_t>(side)) {}
  ~End() override { close(); }

  void send(const wire::Outgoing& frame, const OnFull& on_full) override {
    std::unique_lock lock(shared_->mutex);
    auto& lane = shared_->to[1 - side_];
    while (!dead() && lane.queue.size() >= most_queued) {
      lock.unlock();
      bool again = on_full();
      lock.lock();
      if (!again) break;  // kept: the queue itself holds it beyond its bound
    }
    if (dead()) throw gone_error("the other end of a connection is gone");
    auto message = message_of(frame);
    sent_ += sizeof(wire::FrameHeader) + frame.body.size();
    for (auto part : frame.bulk) sent_ += part.size();
    if (shared_->drop > 0) {
      --shared_->drop;
      return;
    }
    lane.queue.push_back(std::move(message));
    bool ring = !shared_->blocked;
    lock.unlock();
    if (ring) shared_->bells[1 - side_].ring();
  }

  bool flush() override { return true; }

  bool receive(wire::Message& into) override {
    std::unique_lock lock(shared_->mutex);
    auto& queue = shared_->to[side_].queue;
    if (queue.empty() || shared_->blocked) return false;
    into = std::move(queue.front());
    into.keeper = shared_->keepers[side_];
    queue.pop_front();
    bool was_full = queue.size() + 1 == most_queued;
    lock.unlock();
    if (was_full) shared_->bells[1 - side_].ring();
    return true;
  }

  [[nodiscard]] bool ready() const override {
    std::lock_guard lock(shared_->mutex);
    return (!shared_->to[side_].queue.empty() && !shared_->blocked) || dead();
  }
  [[nodiscard]] bool gone() const override {
    std::lock_guard lock(shared_->mutex);
    return dead() && (shared_->to[side_].queue.empty() || shared_->blocked);
  }
  [[nodiscard]] bool lost() const override {
    std::lock_guard lock(shared_->mutex);
    return dead();
  }
  void notice_gone() override {}
  void close() override {
    std::deque<wire::Message> unread;
    {
      std::lock_guard lock(shared_->mutex);
      shared_->dead[side_] = true;
      unread.swap(shared_->to[side_].queue);
    }
    for (auto& message : unread) message.keeper = shared_->keepers[side_];
    for (const auto& bell : shared_->bells) bell.ring();
  }
  [[nodiscard]] std::string_view road() const override { return "thread"; }
  [[nodiscard]] std::uint64_t bytes_sent() const override {
    std::lock_guard lock(shared_->mutex);
    return sent_;
  }

 private:
  [[nodiscard]] bool dead() const { return shared_->dead[0] || shared_->dead[1]; }
  std::shared_ptr<Shared> shared_;
  std::size_t side_;
  std::uint64_t sent_ = 0;
};

ThreadRoad::ThreadRoad(Doorbell first, Doorbell second, wire::PageKeeper* first_keeper, wire::PageKeeper* second_keeper)
    : shared_(std::make_shared<Shared>(std::move(first), std::move(second), first_keeper, second_keeper)) {}

void ThreadRoad::set_keeper(int side, wire::PageKeeper* keeper) const {
  std::lock_guard lock(shared_->mutex);
  shared_->keepers[static_cast<std::size_t>(side)] = keeper;
}

ConnectionPair ThreadRoad::ends() const { return {std::make_shared<End>(shared_, 0), std::make_shared<End>(shared_, 1)}; }

void ThreadRoad::block() const {
  std::lock_guard lock(shared_->mutex);
  shared_->blocked = true;
}

void ThreadRoad::unblock() const {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->blocked = false;
  }
  for (const auto& bell : shared_->bells) bell.ring();
}

void ThreadRoad::drop_next(int frames) const {
  std::lock_guard lock(shared_->mutex);
  shared_->drop = frames;
}

void ThreadRoad::kill(int side) const {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->dead[static_cast<std::size_t>(side)] = true;
  }
  for (const auto& bell : shared_->bells) bell.ring();
}

}  // namespace octavo::road
