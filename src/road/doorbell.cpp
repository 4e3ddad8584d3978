// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/doorbell.hpp"

#include <immintrin.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "octavo/base/error.hpp"

namespace octavo::road {

struct alignas(64) Doorbell::Line {
  std::atomic<std::uint32_t> asleep{0};
};

struct Doorbell::Mapping {
  Fd memory;
  Line* line = nullptr;
  std::atomic<int> spins{256};  // adapts: only the owner waits, so only the owner writes
  ~Mapping() {
    if (line != nullptr) ::munmap(line, sizeof(Line));
  }
};

namespace {

constexpr int fewest_spins = 64, most_spins = 8192;  // about 2 to 200 microseconds

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, timeout, nullptr, 0);
}

}  // namespace

Doorbell Doorbell::make() {
  Fd memory(::memfd_create("octavo-doorbell", MFD_CLOEXEC));
  if (!memory || ::ftruncate(memory.get(), sizeof(Line)) != 0) throw io_error_from(errno, "making a doorbell");
  return open(std::move(memory));
}

Doorbell Doorbell::open(Fd memory) {
  void* at = ::mmap(nullptr, sizeof(Line), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping a doorbell");
  auto mapping = std::make_shared<Mapping>();
  mapping->memory = std::move(memory);
  mapping->line = static_cast<Line*>(at);  // zero bytes are a valid Line
  return Doorbell(std::move(mapping));
}

int Doorbell::descriptor() const noexcept { return mapping_->memory.get(); }

void Doorbell::ring() const noexcept {
  // A read-modify-write is the fence of both sides: either we see `asleep`, or the owner sees what we did before.
  auto& asleep = mapping_->line->asleep;
  if (asleep.fetch_add(0, std::memory_order_seq_cst) != 0 && asleep.exchange(0, std::memory_order_seq_cst) != 0) futex(&asleep, FUTEX_WAKE, 1, nullptr);
}

bool Doorbell::wait(const std::function<bool()>& ready, Deadline deadline) const {
  auto& spins = mapping_->spins;
  int budget = spins.load(std::memory_order_relaxed);
  for (int i = 0; i < budget; ++i) {
    if (ready()) {
      if (i > 0) spins.store(std::min(most_spins, budget * 2), std::memory_order_relaxed);
      return true;
    }
    _mm_pause();
  }
  spins.store(std::max(fewest_spins, budget / 2), std::memory_order_relaxed);
  auto& asleep = mapping_->line->asleep;
  for (;;) {
    asleep.exchange(1, std::memory_order_seq_cst);
    if (ready()) break;
    timespec left{};
    if (deadline != never) {
      auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
      if (nanoseconds <= 0) {
        asleep.store(0, std::memory_order_seq_cst);
        return ready();
      }
      left = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    }
    futex(&asleep, FUTEX_WAIT, 1, deadline == never ? nullptr : &left);
  }
  asleep.store(0, std::memory_order_seq_cst);
  return true;
}

}  // namespace octavo::road
