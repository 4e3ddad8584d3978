// SPDX-License-Identifier: Apache-2.0
// How a pool's memory is made and mapped, and what is to be said of it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <fstream>
#include <string>

#include "machine/pool/tables.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

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
  Fd memory(::memfd_create("octavo-pool", MFD_CLOEXEC | MFD_HUGETLB | MFD_ALLOW_SEALING));
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

Fd Pool::make(std::int64_t bytes) {
  std::int64_t block = pool_block_bytes(bytes);
  auto blocks = static_cast<std::size_t>((bytes + block - 1) / block);
  std::size_t tables =
      sizeof(Header) + blocks * sizeof(Block) + most_transit_entries * sizeof(TransitEntry) + (agent_slot + 1) * blocks * sizeof(std::uint16_t);
  std::size_t data_offset = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(tables), huge_bytes));
  std::size_t total = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(data_offset + blocks * static_cast<std::size_t>(block)), huge_bytes));
  bool huge = true;
  Fd memory = make_hugetlb(total);
  if (!memory) {
    huge = shared_memory_can_be_huge();
    memory.reset(::memfd_create("octavo-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(total)) != 0) throw io_error_from(errno, "making a page pool of " + format_bytes(bytes));
  }
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
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
  ::madvise(at, mapped_, MADV_DONTDUMP);  // a core would hold all of it, and touch it for that
  header_ = static_cast<Header*>(at);
  if (header_->magic != pool_magic || slot > agent_slot) throw io_error("opening the page pool: it is damaged");
  blocks_ = reinterpret_cast<Block*>(static_cast<std::byte*>(at) + sizeof(Header));
  transit_entries_ = reinterpret_cast<TransitEntry*>(blocks_ + header_->blocks);
  rows_ = reinterpret_cast<std::uint16_t*>(transit_entries_ + most_transit_entries);
  block_shift_ = std::countr_zero(static_cast<std::uint64_t>(header_->block_bytes));
  data_ = static_cast<std::byte*>(at) + header_->data_offset;
  if (header_->huge != 0) ::madvise(data_, mapped_ - header_->data_offset, MADV_HUGEPAGE);
  if (slot != agent_slot) memory_.reset();  // its agent hands it on, and measures it
}

Pool::~Pool() { ::munmap(header_, mapped_); }

std::int64_t Pool::bytes() const noexcept { return header_->bytes; }

std::int64_t Pool::resident_bytes() const {
  struct stat facts {};
  return ::fstat(memory_.get(), &facts) == 0 ? static_cast<std::int64_t>(facts.st_blocks) * 512 : 0;
}

bool Pool::huge() const noexcept { return header_->huge != 0; }
int Pool::descriptor() const noexcept { return memory_.get(); }

}  // namespace octavo
