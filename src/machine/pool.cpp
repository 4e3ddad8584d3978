// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/pool.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>

#include "machine/page_order.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

struct Pool::Header {
  std::uint64_t magic;
  std::int64_t bytes, block_bytes;
  std::uint64_t blocks, data_offset;
  std::uint32_t huge;
  std::atomic<std::uint32_t> freed;  // counts frees; those who wait for room sleep on it
  pthread_mutex_t mutex;             // robust: a holder that dies blocks nobody (P-3)
  std::uint64_t taken;               // blocks; changed under the lock, and counted again when its holder died
  // Of each row: in no block from there on was ever a reference. Never lowered, so that a row is looked through while others write to it.
  std::array<std::atomic<std::uint32_t>, agent_slot + 1> tops;
};

struct Pool::Block {
  std::atomic<std::uint32_t> references;
  std::atomic<std::uint32_t> generation;
  std::atomic<std::uint32_t> run;  // length in blocks where a page begins, else 0; changed under the lock only
};

namespace {

constexpr std::uint64_t pool_magic = 0x4c4f4f504f564154;
constexpr std::size_t huge_bytes = 2 << 20;

bool shared_memory_can_be_huge() {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string text;
  std::getline(setting, text);
  return text.find("[advise]") != std::string::npos || text.find("[always]") != std::string::npos || text.find("[within_size]") != std::string::npos;
}

// The first rung: reserved huge pages. Only where enough are free; the mapping would fail otherwise.
Fd make_hugetlb(std::size_t bytes) {
  Fd memory(::memfd_create("octavo-pool", MFD_CLOEXEC | MFD_HUGETLB));
  if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) return {};
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) return {};
  ::munmap(at, bytes);
  return memory;
}

void make_mutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &how);
  pthread_mutexattr_destroy(&how);
}

}  // namespace

class Pool::Lock {
 public:
  explicit Lock(Header& header, const Block* blocks) : mutex_(header.mutex) {
    // Every change under the lock is a single store of `run`, so whatever a dead holder left is consistent, but for the count.
    if (pthread_mutex_lock(&mutex_) != EOWNERDEAD) return;
    pthread_mutex_consistent(&mutex_);
    header.taken = 0;
    for (std::size_t i = 0; i < header.blocks; ++i) header.taken += blocks[i].run;
  }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

Fd Pool::make(std::int64_t bytes) {
  std::int64_t block = pool_block_bytes(bytes);
  auto blocks = static_cast<std::size_t>((bytes + block - 1) / block);
  std::size_t tables = sizeof(Header) + blocks * sizeof(Block) + 64 + (agent_slot + 1) * blocks * sizeof(std::uint16_t);
  std::size_t data_offset = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(tables), huge_bytes));
  std::size_t total = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(data_offset + blocks * static_cast<std::size_t>(block)), huge_bytes));
  bool huge = true;
  Fd memory = make_hugetlb(total);
  if (!memory) {
    huge = shared_memory_can_be_huge();
    memory.reset(::memfd_create("octavo-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(total)) != 0) throw io_error_from(errno, "making a page pool of " + format_bytes(bytes));
    ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  }
  void* at = ::mmap(nullptr, huge_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping a page pool of " + format_bytes(bytes));
  auto* header = static_cast<Header*>(at);
  header->bytes = static_cast<std::int64_t>(blocks) * block;
  header->block_bytes = block;
  header->blocks = blocks;
  header->data_offset = data_offset;
  header->huge = huge;
  make_mutex(header->mutex);
  header->magic = pool_magic;
  ::munmap(at, huge_bytes);
  return memory;
}

Pool::Pool(Fd memory, unsigned slot) : memory_(std::move(memory)), slot_(slot) {
  struct stat facts {};
  if (::fstat(memory_.get(), &facts) != 0) throw io_error_from(errno, "opening the page pool");
  mapped_ = static_cast<std::size_t>(facts.st_size);
  void* at = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping the page pool");
  header_ = static_cast<Header*>(at);
  if (header_->magic != pool_magic || slot > agent_slot) throw io_error("opening the page pool: it is damaged");
  blocks_ = reinterpret_cast<Block*>(static_cast<std::byte*>(at) + sizeof(Header));
  data_ = static_cast<std::byte*>(at) + header_->data_offset;
  if (header_->huge != 0) ::madvise(data_, mapped_ - header_->data_offset, MADV_HUGEPAGE);
}

Pool::~Pool() { ::munmap(header_, mapped_); }

std::uint16_t& Pool::row(unsigned slot, std::size_t block) const noexcept {
  auto* rows = reinterpret_cast<std::uint16_t*>(blocks_ + header_->blocks);
  return rows[slot * header_->blocks + block];
}

void Pool::enter(unsigned slot, std::size_t block) noexcept {
  auto& top = header_->tops[slot];
  for (auto now = top.load(std::memory_order_relaxed); now <= block;)
    if (top.compare_exchange_weak(now, static_cast<std::uint32_t>(block + 1))) break;
  std::atomic_ref(row(slot, block)).fetch_add(1, std::memory_order_relaxed);
}

std::optional<std::size_t> Pool::find_run(std::size_t length) const {
  // Lowest address first: the pool's resident part stays as small as its use.
  std::size_t free_from = 0;
  for (std::size_t i = 0; i < header_->blocks;) {
    if (blocks_[i].run != 0) {
      i += blocks_[i].run;
      free_from = i;
    } else if (++i - free_from == length) {
      return free_from;
    }
  }
  return std::nullopt;
}

std::optional<wire::PageRef> Pool::try_allocate(std::int64_t bytes) { return try_allocate(bytes, 0); }
std::optional<wire::PageRef> Pool::try_allocate_spare(std::int64_t bytes) { return try_allocate(bytes, header_->blocks / 2); }

std::optional<wire::PageRef> Pool::try_allocate(std::int64_t bytes, std::uint64_t leave_blocks) {
  if (bytes < 0 || bytes > header_->bytes) return std::nullopt;
  auto length = static_cast<std::size_t>(std::max<std::int64_t>(1, (bytes + header_->block_bytes - 1) / header_->block_bytes));
  auto page = take_run(length, bytes, leave_blocks);
  taken_up(header_);
  constexpr std::int64_t most_for_others = 64 * MiB;  // more would hold up a thread that serves many
  if (page && (leave_blocks == 0 || bytes <= most_for_others))
    populate(static_cast<std::size_t>(page->offset) / static_cast<std::size_t>(header_->block_bytes), length);
  return page;
}

// The system gives the memory now, in one call, and not fault by fault to whoever writes first: mostly the thread that feeds a disk.
void Pool::populate(std::size_t first, std::size_t length) noexcept {
  const auto block_bytes = static_cast<std::size_t>(header_->block_bytes);
  const std::size_t known = populated_.load(std::memory_order_relaxed), end = first + length;
  if (end <= known) return;
  const std::size_t from = first <= known ? known : first;
  if (::madvise(data_ + from * block_bytes, (end - from) * block_bytes, MADV_POPULATE_WRITE) == 0 && first <= known)
    populated_.store(end, std::memory_order_relaxed);  // a lower one that another thread stores is as true
}

std::optional<wire::PageRef> Pool::take_run(std::size_t length, std::int64_t bytes, std::uint64_t leave_blocks) {
  Lock lock(*header_, blocks_);
  if (header_->taken + length + leave_blocks > header_->blocks) return std::nullopt;
  auto start = find_run(length);
  if (!start) return std::nullopt;
  Block& block = blocks_[*start];
  enter(slot_, *start);
  block.references.store(1, std::memory_order_relaxed);
  header_->taken += length;
  block.run.store(static_cast<std::uint32_t>(length), std::memory_order_release);
  return wire::PageRef{*start * static_cast<std::uint64_t>(header_->block_bytes), static_cast<std::uint64_t>(bytes), block.generation.load(), 0};
}

wire::PageRef Pool::allocate(std::int64_t bytes, road::Deadline deadline) {
  if (bytes < 0 || bytes > header_->bytes)
    throw refused("a page of " + format_bytes(bytes) + " does not fit the pool of " + format_bytes(header_->bytes),
                  "Give the job more memory, or use smaller pages");
  for (;;) {
    std::uint32_t freed = header_->freed.load(std::memory_order_seq_cst);
    if (auto page = try_allocate(bytes)) return *page;
    auto left = deadline == road::never ? std::chrono::nanoseconds(std::chrono::hours(1)) : std::chrono::nanoseconds(deadline - road::Clock::now());
    if (left.count() <= 0)
      throw timed_out("no room for a page of " + format_bytes(bytes) + " in the pool of " + format_bytes(header_->bytes),
                      "Release pages, or give the job more memory");
    timespec wait{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&header_->freed), FUTEX_WAIT, freed, &wait, nullptr, 0);
  }
}

std::size_t Pool::block_of(const wire::PageRef& page) const {
  auto block_bytes = static_cast<std::uint64_t>(header_->block_bytes);
  std::uint64_t block = page.offset / block_bytes;
  if (page.offset % block_bytes != 0 || block >= header_->blocks || blocks_[block].run == 0 || page.bytes > blocks_[block].run * block_bytes ||
      blocks_[block].generation != page.generation)
    throw io_error("a reference to a page that is no longer there (offset " + std::to_string(page.offset) + ", " + std::to_string(page.bytes) + " bytes)");
  return block;
}

std::byte* Pool::at(const wire::PageRef& page) const {
  (void)block_of(page);
  return data_ + page.offset;
}

std::uint32_t Pool::references(const wire::PageRef& page) const { return blocks_[block_of(page)].references.load(std::memory_order_acquire); }

void Pool::share(const wire::PageRef& page) {
  std::size_t block = block_of(page);
  // The total rises first: a process that dies in between leaks a page, never frees one in use.
  blocks_[block].references.fetch_add(1, std::memory_order_relaxed);
  enter(slot_, block);
}

void Pool::hand_over(const wire::PageRef& page, unsigned to_slot) {
  passed_on(header_);
  std::size_t block = block_of(page);
  enter(to_slot, block);
  std::atomic_ref(row(slot_, block)).fetch_sub(1, std::memory_order_relaxed);
}

void Pool::take_back(const wire::PageRef& page, unsigned from_slot) noexcept {
  try {
    std::size_t block = block_of(page);
    std::atomic_ref held(row(from_slot, block));
    for (std::uint16_t count = held.load(); count != 0;)
      if (held.compare_exchange_weak(count, static_cast<std::uint16_t>(count - 1))) return drop(block, 1);
  } catch (const error&) {  // stale: reclaimed
  }
}

void Pool::release(const wire::PageRef& page) noexcept {
  try {
    std::size_t block = block_of(page);
    std::atomic_ref(row(slot_, block)).fetch_sub(1, std::memory_order_relaxed);
    drop(block, 1);
  } catch (const error&) {  // stale: it was freed when its holder died
  }
}

void Pool::drop(std::size_t block, std::uint32_t count) noexcept {
  if (blocks_[block].references.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  {
    Lock lock(*header_, blocks_);
    ++blocks_[block].generation;
    header_->taken -= blocks_[block].run;
    blocks_[block].run = 0;
  }
  header_->freed.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&header_->freed), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void Pool::reclaim(unsigned dead_slot) noexcept {
  std::size_t end = std::min<std::size_t>(header_->tops[dead_slot].load(), header_->blocks);
  for (std::size_t block = 0; block < end; ++block) {
    std::atomic_ref count(row(dead_slot, block));
    if (count.load(std::memory_order_relaxed) == 0) continue;  // a look does not make the system give memory for the row
    std::uint16_t held = count.exchange(0, std::memory_order_relaxed);
    if (held != 0) drop(block, held);
  }
}

std::int64_t Pool::bytes() const noexcept { return header_->bytes; }

std::int64_t Pool::free_bytes() const {
  Lock lock(*header_, blocks_);
  return header_->bytes - static_cast<std::int64_t>(header_->taken) * header_->block_bytes;
}

std::int64_t Pool::resident_bytes() const {
  struct stat facts {};
  return ::fstat(memory_.get(), &facts) == 0 ? static_cast<std::int64_t>(facts.st_blocks) * 512 : 0;
}

bool Pool::huge() const noexcept { return header_->huge != 0; }
int Pool::descriptor() const noexcept { return memory_.get(); }

}  // namespace octavo
