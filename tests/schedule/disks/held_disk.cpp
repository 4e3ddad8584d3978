// SPDX-License-Identifier: Apache-2.0
#include "schedule/disks/held_disk.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace octavo::schedule {

namespace {

std::int64_t move(const Transfer& transfer) {
  const auto length = static_cast<std::size_t>(transfer.length);
  const ssize_t moved =
      transfer.writing ? ::pwrite(transfer.file, transfer.memory, length, transfer.offset) : ::pread(transfer.file, transfer.memory, length, transfer.offset);
  return moved < 0 ? -errno : moved;
}

}  // namespace

// The engine's end.
class HeldDisk::Held final : public DiskQueue {
 public:
  explicit Held(std::shared_ptr<HeldDisk> disk) : disk_(std::move(disk)) {}
  ~Held() override {
    std::lock_guard lock(disk_->mutex_);
    disk_->gone_ = true;
    disk_->changed_.notify_all();
  }
  void submit(const Transfer& transfer) override { disk_->submit(transfer); }
  void flush() override {}
  void wait(std::vector<Completion>& completed) override { disk_->wait(completed); }
  void wake() override { disk_->wake(); }

 private:
  const std::shared_ptr<HeldDisk> disk_;
};

std::unique_ptr<DiskQueue> HeldDisk::queue() { return std::make_unique<Held>(shared_from_this()); }

void HeldDisk::submit(const Transfer& transfer) {
  std::lock_guard lock(mutex_);
  if (dropped_) completed_.push_back({transfer.tag, -EIO});
  else waiting_.push_back(transfer);
}

void HeldDisk::wait(std::vector<Completion>& completed) {
  std::unique_lock lock(mutex_);
  sleeps_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return woken_ || !completed_.empty(); });
  sleeps_ = woken_ = false;
  completed.insert(completed.end(), completed_.begin(), completed_.end());
  completed_.clear();
}

void HeldDisk::wake() {
  std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void HeldDisk::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return gone_ || is_settled(); });
}

std::size_t HeldDisk::waiting() {
  std::lock_guard lock(mutex_);
  return waiting_.size();
}

std::int32_t HeldDisk::written_by(std::size_t at) {
  std::lock_guard lock(mutex_);
  std::int32_t first = 0;
  if (waiting_[at].writing) std::memcpy(&first, waiting_[at].memory, sizeof first);
  return first;
}

void HeldDisk::end(std::size_t at, outcome how) {
  {
    std::lock_guard lock(mutex_);
    const Transfer transfer = waiting_[at];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
    completed_.push_back({transfer.tag, how == outcome::done ? move(transfer) : -EIO});
    changed_.notify_all();
  }
  settle();
}

}  // namespace octavo::schedule
