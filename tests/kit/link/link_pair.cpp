// SPDX-License-Identifier: Apache-2.0
#include "kit/link/link_pair.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "octavo/base/error.hpp"

namespace octavo::kit {

struct LinkPair::Shared {
  // What one side has sent and the other has not received.
  struct Lane {
    std::vector<std::byte> bytes;
    std::size_t begin = 0;
    std::uint64_t until_cut = std::numeric_limits<std::uint64_t>::max();
    bool held = false;
    [[nodiscard]] std::size_t size() const { return bytes.size() - begin; }
  };
  struct Side {
    Fd event;
    bool signalled = false, wants_room = false;
    std::string why;  // not empty: lost, when what came is received or at once
    bool at_once = false;
  };

  explicit Shared(std::size_t most) : capacity(most) {
    for (auto& side : sides) {
      side.event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      if (!side.event) throw io_error_from(errno, "making a link");
    }
  }

  [[nodiscard]] bool lost(std::size_t side) const {
    return !sides[side].why.empty() && (sides[side].at_once || (lanes[1 - side].size() == 0 && !lanes[1 - side].held));
  }
  void lose(std::size_t side, const char* here, const char* there) {
    for (std::size_t s : {side, 1 - side})
      if (sides[s].why.empty()) sides[s].why = s == side ? here : there;
    sides[side].at_once = true;
  }

  // The event is readable exactly while trying again pays (L-4). Follows every change.
  void show() {
    for (std::size_t side = 0; side < 2; ++side) {
      auto& now = sides[side];
      bool pays = lost(side) || (lanes[1 - side].size() != 0 && !lanes[1 - side].held) || (now.wants_room && lanes[side].size() < capacity);
      if (pays == now.signalled) continue;
      std::uint64_t count = 1;
      [[maybe_unused]] auto n = pays ? ::write(now.event.get(), &count, sizeof count) : ::read(now.event.get(), &count, sizeof count);
      now.signalled = pays;
    }
  }

  std::mutex mutex;
  std::size_t capacity, portion = std::numeric_limits<std::size_t>::max();
  std::array<Lane, 2> lanes;  // by sender
  std::array<Side, 2> sides;
};

class LinkPair::End final : public road::Link {
 public:
  End(std::shared_ptr<Shared> shared, int side) : shared_(std::move(shared)), side_(static_cast<std::size_t>(side)) {}
  ~End() override { close(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  std::size_t send(std::span<const ByteView> pieces) override {
    std::lock_guard lock(shared_->mutex);
    auto& lane = shared_->lanes[side_];
    std::size_t left = std::min(shared_->portion, shared_->capacity - lane.size()), taken = 0;
    bool all = true;
    for (auto piece : pieces) {
      if (!shared_->sides[side_].why.empty()) break;
      auto n = static_cast<std::size_t>(std::min<std::uint64_t>({piece.size(), left, lane.until_cut}));
      lane.bytes.insert(lane.bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(n));
      taken += n;
      left -= n;
      lane.until_cut -= n;
      if (lane.until_cut == 0) shared_->lose(side_, "cut by the test", "cut by the test");
      all = n == piece.size();
      if (!all) break;
    }
    shared_->sides[side_].wants_room = !all && shared_->sides[side_].why.empty();
    shared_->show();
    return taken;
  }

  std::size_t receive(std::span<const ByteSpan> into) override {
    std::lock_guard lock(shared_->mutex);
    auto& lane = shared_->lanes[1 - side_];
    if (lane.held || shared_->sides[side_].at_once) return 0;
    std::size_t left = std::min(shared_->portion, lane.size()), came = 0;
    for (auto piece : into) {
      std::size_t n = std::min(piece.size(), left);
      if (n != 0) std::memcpy(piece.data(), lane.bytes.data() + lane.begin, n);
      lane.begin += n;
      came += n;
      left -= n;
    }
    if (lane.begin >= shared_->capacity || lane.size() == 0) {
      lane.bytes.erase(lane.bytes.begin(), lane.bytes.begin() + static_cast<std::ptrdiff_t>(lane.begin));
      lane.begin = 0;
    }
    shared_->show();
    return came;
  }

  [[nodiscard]] int descriptor() const override { return shared_->sides[side_].event.get(); }
  [[nodiscard]] short events(bool) const override { return POLLIN; }
  [[nodiscard]] bool lost() const override {
    std::lock_guard lock(shared_->mutex);
    return shared_->lost(side_);
  }
  [[nodiscard]] std::string why() const override {
    std::lock_guard lock(shared_->mutex);
    return shared_->lost(side_) ? shared_->sides[side_].why : "";
  }
  void close() override {
    std::lock_guard lock(shared_->mutex);
    shared_->lose(side_, "closed by this side", "the other side has closed it");
    shared_->show();
  }
  [[nodiscard]] std::string_view kind() const override { return "in-process"; }

 private:
  std::shared_ptr<Shared> shared_;
  std::size_t side_;
};

LinkPair::LinkPair(std::size_t capacity) : shared_(std::make_shared<Shared>(capacity)) {}

std::unique_ptr<road::Link> LinkPair::end(int side) const { return std::make_unique<End>(shared_, side); }

void LinkPair::portions(std::size_t most_bytes) const {
  std::lock_guard lock(shared_->mutex);
  shared_->portion = most_bytes == 0 ? std::numeric_limits<std::size_t>::max() : most_bytes;
}

void LinkPair::stall(int sender) const {
  std::lock_guard lock(shared_->mutex);
  shared_->lanes[static_cast<std::size_t>(sender)].held = true;
  shared_->show();
}

void LinkPair::resume(int sender) const {
  std::lock_guard lock(shared_->mutex);
  shared_->lanes[static_cast<std::size_t>(sender)].held = false;
  shared_->show();
}

void LinkPair::cut_after(int sender, std::uint64_t bytes) const {
  std::lock_guard lock(shared_->mutex);
  auto side = static_cast<std::size_t>(sender);
  shared_->lanes[side].until_cut = bytes;
  if (bytes == 0) shared_->lose(side, "cut by the test", "cut by the test");
  shared_->show();
}

}  // namespace octavo::kit
