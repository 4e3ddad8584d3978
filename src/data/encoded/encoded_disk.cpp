// SPDX-License-Identifier: Apache-2.0
#include "data/encoded/encoded_disk.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "base/start_thread.hpp"
#include "data/io/completion_latch.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_waiting = 1024;  // requests

int cores_here() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

// One request type for both ways; a write only reads it.
Tile tile_of(const ConstTile& source) { return {const_cast<std::byte*>(source.data), source.shape, source.at}; }

not_supported written_past_the_library(const StoredBlock& block) {
  return not_supported("writing to '" + block.file + "' past the library of its format", "Open it for writing from Python");
}

Box box_around(Box box, const Box& other) {
  for (int axis = 0; axis < box.dims(); ++axis) {
    box.lo[axis] = std::min(box.lo[axis], other.lo[axis]);
    box.hi[axis] = std::max(box.hi[axis], other.hi[axis]);
  }
  return box;
}

}  // namespace

EncodedDisk::EncodedDisk(const Storage& storage, EncodedDiskOptions options)
    : storage_(storage),
      options_(std::move(options)),
      to_read_(bytes_to_read(storage)),
      to_write_(bytes_to_write(storage)),
      most_threads_(static_cast<std::size_t>(std::clamp<std::int64_t>(options_.memory / to_read_, 1, options_.threads > 0 ? options_.threads : cores_here()))),
      meter_(options_.meter ? options_.meter : std::make_shared<PhaseMeter>()),
      files_(Encoding::of(storage), grid_of(storage.block(), storage.chunk).count(), ChunkCodecs(storage).most_encoded()) {}

EncodedDisk::~EncodedDisk() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_all();
  for (auto& each : threads_) each.join();
}

// Each chunk by itself, so that several threads may decode.
void EncodedDisk::read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) {
  check_move(from, part, to);
  check_fill(fill, as);
  const Converter convert({from.type, from.order}, {as});
  if (part.empty()) return done(nullptr);
  auto latch = std::make_shared<CompletionLatch<Done>>(count_tiles(part, storage_.chunk), std::move(done));
  for_each_tile(part, storage_.chunk, [&](const Shape&, const Box& meet) {
    Tile tile = to;
    for (int axis = 0; axis < meet.dims(); ++axis) tile.at[axis] += meet.lo[axis] - part.lo[axis];
    try {
      add({false, from, meet, as, tile, {fill.begin(), fill.end()}, [latch](const std::exception_ptr& error) { latch->done(error); }, convert});
    } catch (...) {  // the others may be under way
      latch->done(std::current_exception());
    }
  });
}

void EncodedDisk::write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) {
  check_move(to, part, source);
  if (to.encoded_bytes >= 0) throw written_past_the_library(to);
  const Converter convert({from}, {to.type, to.order});
  if (part.empty()) return done(nullptr);
  add({true, to, part, from, tile_of(source), {}, std::move(done), convert});
}

void EncodedDisk::write_parts(const StoredBlock& to, std::vector<Box> parts, dtype from, const ConstTile& source, Done done) {
  std::erase_if(parts, [](const Box& each) { return each.empty(); });
  if (parts.empty()) return done(nullptr);
  Box around = parts.front();
  for (const Box& each : parts) around = box_around(around, each);
  check_move(to, around, source);
  if (to.encoded_bytes >= 0) throw written_past_the_library(to);
  const Converter convert({from}, {to.type, to.order});
  EncodedRequest request{true, to, around, from, tile_of(source), {}, std::move(done), convert};
  if (parts.size() > 1) request.parts = std::move(parts);
  add(std::move(request));
}

// Waits for room, except on a thread of its own: only these make room.
void EncodedDisk::add(EncodedRequest request) {
  std::unique_lock lock(mutex_);
  const bool own = std::ranges::any_of(threads_, [](const std::thread& each) { return each.get_id() == std::this_thread::get_id(); });
  if (!own) room_.wait(lock, [this] { return waiting_.size() < most_waiting; });
  if (idle_ <= waiting_.size() && threads_.size() < most_threads_) {
    try {
      threads_.push_back(start_thread("that decodes chunks", [this] { run(); }));
      ::pthread_setname_np(threads_.back().native_handle(), "octavo-chunks");
    } catch (const io_error& e) {
      if (threads_.empty()) throw;
      log_once(std::string("fewer threads decode than there are cores: ") + e.what());
    }
  }
  ++requests_;
  request.number = next_number_++;
  if (request.writing) writes_.insert(request.number);
  waiting_.push_back(std::move(request));
  lock.unlock();
  wanted_.notify_one();
}

std::int64_t EncodedDisk::memory_for(const EncodedRequest& request) const {
  const bool shards = storage_.block() != storage_.chunk;
  return request.writing && (shards || !request.is_whole()) ? to_write_ : to_read_;
}

// The first that may begin now; the end where there is none.
std::deque<EncodedRequest>::iterator EncodedDisk::next() {
  return std::ranges::find_if(waiting_, [this](const EncodedRequest& each) {
    if (each.writing && busy_.contains(each.block.file)) return false;
    return memory_in_use_ == 0 || memory_in_use_ + memory_for(each) <= options_.memory;
  });
}

void EncodedDisk::run() {
  ChunkCoder coder(storage_, files_, meter_, [this] { look_whether_missing(); });
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wanted_.wait(lock, [this] { return next() != waiting_.end() || (stopping_ && waiting_.empty()); });
    --idle_;
    const auto found = next();
    if (found == waiting_.end()) return;
    const std::int64_t memory = memory_for(*found);
    std::vector<EncodedRequest> requests = take(found, memory);
    const bool writing = requests.front().writing;
    memory_in_use_ += memory;
    if (writing) busy_.insert(requests.front().block.file);
    lock.unlock();
    room_.notify_all();
    work_on(coder, requests);
    lock.lock();
    memory_in_use_ -= memory;
    if (writing) {
      busy_.erase(requests.front().block.file);
      for (const auto& each : requests) writes_.erase(each.number);
      written_.notify_all();
    }
    wanted_.notify_all();  // what could not begin beside it, and the end
  }
}

// Of a write also the others that wait for its file and take no more memory.
std::vector<EncodedRequest> EncodedDisk::take(std::deque<EncodedRequest>::iterator first, std::int64_t memory) {
  std::vector<EncodedRequest> taken;
  taken.push_back(std::move(*first));
  waiting_.erase(first);
  if (!taken.front().writing) return taken;
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    if (each->writing && each->block.file == taken.front().block.file && memory_for(*each) <= memory) {
      taken.push_back(std::move(*each));
      each = waiting_.erase(each);
    } else {
      ++each;
    }
  }
  return taken;
}

void EncodedDisk::work_on(ChunkCoder& coder, std::vector<EncodedRequest>& requests) {
  std::exception_ptr error;
  try {
    requests.front().writing ? coder.write(requests) : coder.read(requests.front());
    // As a Disk counts them: elements that were converted, or copied as they are.
    for (const auto& each : requests) meter_->moved(each.convert.changes() ? phase::computing : phase::caching, each.bytes());
  } catch (...) {
    error = std::current_exception();
  }
  for (auto& each : requests) {
    const auto done = std::move(each.done);  // what it holds goes with it
    try {
      done(error);
    } catch (const std::exception& e) {
      log_line("a request's done() threw: " + std::string(e.what()));
    } catch (...) {
      log_line("a request's done() threw");
    }
  }
}

void EncodedDisk::look_whether_missing() {
  const std::lock_guard lock(missing_mutex_);
  if (options_.missing) options_.missing();
}

void EncodedDisk::sync() {
  {
    std::unique_lock lock(mutex_);
    const std::uint64_t before = next_number_;
    written_.wait(lock, [&] { return writes_.empty() || *writes_.begin() >= before; });
  }
  const auto writes = meter_->while_open(phase::writing);
  files_.sync();
}

DiskCounters EncodedDisk::counters() const {
  const std::lock_guard lock(mutex_);
  return {files_.bytes_read(), files_.bytes_written(), requests_, requests_};
}

Phases EncodedDisk::phases() const {
  Phases sums = meter_->sums();
  sums.reading.bytes = files_.bytes_read();
  sums.writing.bytes = files_.bytes_written();
  return sums;
}

}  // namespace octavo
