// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/backing/stored_backing.hpp"

#include <fcntl.h>

#include <algorithm>
#include <condition_variable>
#include <map>

#include "data/format/table/format.hpp"
#include "octavo/data/buffered/detail/moved.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t most_between = 2;  // times as much as is written: where rows lie further apart each is asked for by itself

// Several requests to the disk that are one for the buffer.
struct Requests {
  void ended(const std::exception_ptr& failed) {
    const std::lock_guard lock(mutex);
    if (failed && !error) error = failed;
    if (--left == 0) over.notify_all();
  }

  std::mutex mutex;
  std::condition_variable over;
  std::int64_t left = 1;
  std::exception_ptr error;
};

class DiskMoving : public Moving {
 public:
  explicit DiskMoving(std::shared_ptr<Requests> requests) : requests_(std::move(requests)) {}
  // The disk has the buffer's memory until then.
  ~DiskMoving() override { await(); }
  DiskMoving(const DiskMoving&) = delete;
  DiskMoving& operator=(const DiskMoving&) = delete;
  [[nodiscard]] bool over() const override {
    const std::lock_guard lock(requests_->mutex);
    return requests_->left == 0;
  }
  void wait() override {
    await();
    if (requests_->error) std::rethrow_exception(requests_->error);
  }

 private:
  void await() {
    std::unique_lock lock(requests_->mutex);
    requests_->over.wait(lock, [&] { return requests_->left == 0; });
  }
  std::shared_ptr<Requests> requests_;
};

}  // namespace

StoredBacking::StoredBacking(Storage storage, dtype type, std::int64_t memory, Fd held, DiskOptions options)
    : storage_(std::move(storage)),
      type_(type),
      held_(std::move(held)),
      use_(storage_.path),
      near_(storage_, type),
      disk_(make_disk(memory, std::move(options))) {
  // As a device has it: a chunk that is not there was never written, a file must be.
  if (Format::of(storage_.format).may_lack_blocks()) fill_ = fill_as(storage_, type);
}

std::unique_ptr<BlockDisk> StoredBacking::make_disk(std::int64_t memory, DiskOptions options) {
  if (!storage_.fill.empty()) {
    identity_ = octavo::Identity(storage_);
    options.missing = [this] { identity_.check(); };
  }
  if (storage_.is_encoded()) {
    auto made = std::make_unique<EncodedDisk>(storage_, EncodedDiskOptions{.memory = memory, .missing = std::move(options.missing)});
    encoded_ = made.get();
    return made;
  }
  options.buffer_bytes = std::clamp<std::int64_t>(round_down(memory / 8, 4096), 8 * KiB, 1 * MiB);
  options.depth = static_cast<int>(std::clamp<std::int64_t>(memory / options.buffer_bytes, 1, 8));
  return std::make_unique<Disk>(options);
}

// A write of a part of a page waits until the rest of it was read. So the pages at the ends of rows are asked for together and ahead, and are not read one by
// one.
void StoredBacking::expect_write(const Box& block) {
  if (storage_.is_encoded()) return;
  for_each_tile(block, storage_.chunk, [&](const Shape& index, const Box& meet) {
    Shape lo = meet.lo, last = meet.hi;
    for (int i = 0; i < index.size(); ++i) {
      lo[i] -= index[i] * storage_.chunk[i];
      last[i] -= index[i] * storage_.chunk[i] + 1;
    }
    const StoredBlock stored = block_of(storage_, index);
    const std::int64_t first = flatten(lo, stored.shape), count = flatten(last, stored.shape) + 1 - first;
    if (count > most_between * meet.count()) return;
    const Fd file(::open(stored.file.c_str(), O_RDONLY | O_CLOEXEC));  // none: then there is nothing to be read
    if (file) ::posix_fadvise(file.get(), stored.offset + first * size_of(stored.type), count * size_of(stored.type), POSIX_FADV_WILLNEED);
  });
}

void StoredBacking::for_each_block(const std::vector<Box>& parts, const std::function<void(const Shape&, std::vector<Box>)>& visit) const {
  std::map<std::int64_t, std::pair<Shape, std::vector<Box>>> blocks;  // in the order of the disk
  const Shape grid = grid_of(storage_.shape, storage_.block());
  for (const Box& each : parts)
    for_each_tile(each, storage_.block(), [&](const Shape& index, const Box& meet) {
      auto& [at, found] = blocks[flatten(index, grid)];
      at = index;
      found.push_back(meet);
    });
  for (auto& [number, block] : blocks) visit(block.first, std::move(block.second));
}

std::unique_ptr<Moving> StoredBacking::start(const BlockMove& move, const Shape& tile) {
  if (move.writing) use_.begin_to_write();
  if (near_.move(move, tile)) return moved([] {});
  auto requests = std::make_shared<Requests>();
  auto moving = std::make_unique<DiskMoving>(requests);
  const Done ended = [requests](const std::exception_ptr& error) { requests->ended(error); };
  // What is encoded is coded once for all parts of a block; what is not, is written part by part.
  auto begin = [&](const Shape& index, std::vector<Box> parts) {
    Shape corner = index, first = parts.front().lo;
    for (int i = 0; i < index.size(); ++i) corner[i] *= storage_.block()[i];
    for (const Box& each : parts)
      for (int i = 0; i < first.size(); ++i) first[i] = std::min(first[i], each.lo[i]);
    for (Box& each : parts) each = each.shifted(corner, -1);
    const StoredBlock stored = block_of(storage_, index);
    Shape at = first;
    for (int i = 0; i < at.size(); ++i) at[i] -= move.block.lo[i];
    if (!move.writing) disk_->read(stored, parts.front(), type_, Tile{move.data, tile, at}, fill_, ended);
    else if (encoded_ != nullptr) encoded_->write_parts(stored, std::move(parts), type_, ConstTile{move.data, tile, at}, ended);
    else disk_->write(stored, parts.front(), type_, ConstTile{move.data, tile, at}, ended);
  };
  auto ask = [&](const Shape& index, std::vector<Box> parts) {
    {
      const std::lock_guard lock(requests->mutex);
      ++requests->left;
    }
    try {
      begin(index, std::move(parts));
    } catch (...) {  // what could not begin has failed
      ended(std::current_exception());
    }
  };
  if (move.writing && encoded_ != nullptr) {
    for_each_block(move.parts, ask);
  } else {
    for (const auto& each : move.parts) for_each_tile(each, storage_.block(), [&](const Shape& index, const Box& meet) { ask(index, {meet}); });
  }
  ended(nullptr);  // all are counted
  return moving;
}

}  // namespace octavo::detail
