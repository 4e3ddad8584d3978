// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/doorbell.hpp"

#include <immintrin.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
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
  Fd memory, event;
  Line* line = nullptr;
  std::atomic<int> spins{256};  // adapts: only the owner waits, so only the owner writes
  ~Mapping() {
    if (line != nullptr) ::munmap(line, sizeof(Line));
  }
};

namespace {

// What `asleep` says of the owner. Another process may have written anything else: that is taken for in_futex.
constexpr std::uint32_t awake = 0, in_futex = 1, in_epoll = 2;

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

Doorbell Doorbell::make_polled() {
  Fd memory(::memfd_create("octavo-doorbell", MFD_CLOEXEC)), event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!memory || !event || ::ftruncate(memory.get(), sizeof(Line)) != 0) throw io_error_from(errno, "making a doorbell");
  return open(std::move(memory), std::move(event));
}

Doorbell Doorbell::open(Fd memory, Fd event) {
  void* at = ::mmap(nullptr, sizeof(Line), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping a doorbell");
  auto mapping = std::make_shared<Mapping>();
  mapping->memory = std::move(memory);
  mapping->event = std::move(event);
  mapping->line = static_cast<Line*>(at);  // zero bytes are a valid Line
  return Doorbell(std::move(mapping));
}

int Doorbell::descriptor() const noexcept { return mapping_->memory.get(); }
int Doorbell::event() const noexcept { return mapping_->event.get(); }

void Doorbell::ring() const noexcept {
  // A read-modify-write is the fence of both sides: either we see `asleep`, or the owner sees what we did before.
  auto& asleep = mapping_->line->asleep;
  auto state = asleep.fetch_add(0, std::memory_order_seq_cst);
  bool wakes_poll = mapping_->event.get() >= 0;
  while (state != awake && (state != in_epoll || wakes_poll)) {
    if (!asleep.compare_exchange_weak(state, awake, std::memory_order_seq_cst)) continue;
    if (state != in_epoll) {
      futex(&asleep, FUTEX_WAKE, 1, nullptr);
      return;
    }
    std::uint64_t one = 1;  // can fail only when the counter is full, and then it is readable
    [[maybe_unused]] auto written = ::write(mapping_->event.get(), &one, sizeof one);
    return;
  }
}

bool Doorbell::doze(const std::function<bool()>& ready) const {
  mapping_->line->asleep.exchange(in_epoll, std::memory_order_seq_cst);
  return !ready();
}

void Doorbell::woke(bool rung) const noexcept {
  mapping_->line->asleep.exchange(awake, std::memory_order_seq_cst);
  // Whoever found us asleep may write only now: epoll then returns once for nothing, and it is read then.
  if (!rung) return;
  std::uint64_t count = 0;
  [[maybe_unused]] auto got = ::read(mapping_->event.get(), &count, sizeof count);
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
    asleep.exchange(in_futex, std::memory_order_seq_cst);
    if (ready()) break;
    timespec left{};
    if (deadline != never) {
      auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
      if (nanoseconds <= 0) {
        asleep.store(awake, std::memory_order_seq_cst);
        return ready();
      }
      left = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    }
    futex(&asleep, FUTEX_WAIT, in_futex, deadline == never ? nullptr : &left);
  }
  asleep.store(awake, std::memory_order_seq_cst);
  return true;
}

}  // namespace octavo::road
