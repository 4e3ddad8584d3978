// SPDX-License-Identifier: Apache-2.0
// A ringing thread loads `asleep` without a fence after its message: a fence would wait until the message has left the core, which is its whole price. So
// that load may come before the message is visible, and read `awake` although the owner, which has not seen the message, is about to sleep. Against that the
// owner, having stored `asleep`, looks for messages again for longer than a store takes to become visible, and sleeps for a moment only at first. Then
// it makes all running processes of Octavo pass a barrier (membarrier(2)), looks once more, and sleeps without a limit: a thread that rings after the barrier
// reads `asleep`, and the message of one that rang before is visible to that last look. Where the kernel has no such barrier, the ringing thread fences, and
// the owner goes on sleeping for moments.
#include "octavo/road/doorbell.hpp"

#include <fcntl.h>
#include <immintrin.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/delay_point.hpp"
#include "base/sealed_bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::road {

namespace {
constexpr std::size_t page_bytes = 4096;
}

// Two cache lines: processors fetch them in pairs, and the next pair is another's.
struct alignas(128) Doorbell::Line {
  std::atomic<std::uint32_t> asleep{0};
  std::atomic<std::uint32_t> beside{0};  // the same of the owner's other thread (wait_beside)
};

struct Doorbell::Mapping {
  std::shared_ptr<const Fd> memory;  // of the owner's agent, which hands it on
  Fd event;
  void* page = nullptr;
  Line* line = nullptr;
  PollBudget spins{PollBudget::bell};  // only the owner waits, so only the owner writes
  std::atomic<bool> oversubscribed{false};
  bool without_fence = false;
  ~Mapping() {
    if (page != nullptr) ::munmap(page, page_bytes);
  }
};

namespace {

// What `asleep` says of the owner. Another process may have written anything else: that is taken for in_futex.
constexpr std::uint32_t awake = 0, in_futex = 1, in_epoll = 2;

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }
// Of this process: it takes part in the barriers of others. Once is enough.
bool takes_part() noexcept {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
  return registered;
}

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, timeout, nullptr, 0);
}

// A process that has it could else cut it, and so end all that ring the bell by SIGBUS.
Fd sealed_memory(std::size_t bytes) {
  Fd memory(::memfd_create("octavo-doorbell", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw io_error_from(errno, "making a doorbell");
  return memory;
}

}  // namespace

Doorbell Doorbell::make() { return Doorbells(1).make(0); }

Doorbell Doorbell::make_polled() {
  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) throw io_error_from(errno, "making a doorbell");
  auto made = make();
  made.mapping_->event = std::move(event);
  return made;
}

std::shared_ptr<Doorbell::Mapping> Doorbell::map(const Fd& memory, unsigned number) {
  static_assert(page_bytes % sizeof(Line) == 0);
  const std::size_t at = number * sizeof(Line), within = at % page_bytes;
  if (sealed_bytes(memory, "a doorbell") < at + sizeof(Line)) throw io_error("opening a doorbell: it is too small");
  void* page = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), static_cast<off_t>(at - within));
  if (page == MAP_FAILED) throw io_error_from(errno, "mapping a doorbell");
  auto mapping = std::make_shared<Mapping>();
  mapping->page = page;
  mapping->line = reinterpret_cast<Line*>(static_cast<std::byte*>(page) + within);  // zero bytes are a valid Line
  mapping->without_fence = takes_part();
  return mapping;
}

Doorbell Doorbell::open(Fd memory, Fd event, unsigned number) {
  auto mapping = map(memory, number);
  mapping->event = std::move(event);
  return Doorbell(std::move(mapping));
}

Doorbells::Doorbells(unsigned count) : memory_(std::make_shared<const Fd>(sealed_memory(count * sizeof(Doorbell::Line)))) {}

Doorbell Doorbells::make(unsigned number) const {
  auto mapping = Doorbell::map(*memory_, number);
  mapping->memory = memory_;
  mapping->line->asleep.store(awake, std::memory_order_relaxed);
  mapping->line->beside.store(awake, std::memory_order_relaxed);
  return Doorbell(std::move(mapping));
}

int Doorbell::descriptor() const noexcept { return mapping_->memory ? mapping_->memory->get() : -1; }
int Doorbell::event() const noexcept { return mapping_->event.get(); }

void Doorbell::ring() const noexcept {
  delay_point("bell: about to ring");
  auto& asleep = mapping_->line->asleep;
  const bool wakes_poll = mapping_->event.get() >= 0;
  // Else a read-modify-write is the fence of both sides: either this thread sees `asleep`, or the owner sees what this thread wrote before.
  const bool may_look = mapping_->without_fence && !wakes_poll;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  auto state = may_look ? asleep.load(std::memory_order_relaxed) : asleep.fetch_add(0, std::memory_order_seq_cst);
  auto& beside = mapping_->line->beside;
  if (beside.load(may_look ? std::memory_order_relaxed : std::memory_order_seq_cst) != awake && beside.exchange(awake, std::memory_order_seq_cst) != awake)
    futex(&beside, FUTEX_WAKE, 1, nullptr);
  delay_point("bell: has looked whether its owner sleeps");
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
  delay_point("bell: said that its owner dozes");
  return !ready();
}

void Doorbell::woke(bool rung) const noexcept {
  delay_point("bell: its owner woke");
  mapping_->line->asleep.exchange(awake, std::memory_order_seq_cst);
  // A thread that found the owner dozing may write the event only now: epoll then returns once for nothing, and the event is read then.
  if (!rung) return;
  std::uint64_t count = 0;
  [[maybe_unused]] auto got = ::read(mapping_->event.get(), &count, sizeof count);
}

bool Doorbell::oversubscribed() const noexcept { return mapping_->oversubscribed.load(std::memory_order_relaxed); }

PollBudget::Spell Doorbell::begin_spell() const noexcept { return PollBudget::Spell(mapping_->spins.now()); }

bool Doorbell::go_on(PollBudget::Spell& spell) const noexcept {
  const bool was_oversubscribed = oversubscribed();
  const auto what = spell.after_a_poll(was_oversubscribed);
  if (what == PollBudget::Spell::next::pause) _mm_pause();
  if (what != PollBudget::Spell::next::give_turn) return what != PollBudget::Spell::next::end;
  const auto before = __rdtsc();
  ::sched_yield();
  const bool is_oversubscribed = spell.turn_took(__rdtsc() - before);
  if (is_oversubscribed != was_oversubscribed) mapping_->oversubscribed.store(is_oversubscribed, std::memory_order_relaxed);
  return true;
}

bool Doorbell::spun(bool paid) const noexcept {
  if (paid) mapping_->spins.paid();
  else mapping_->spins.was_in_vain();
  return paid;
}

bool Doorbell::sleep(const std::function<bool()>& ready, Deadline deadline) const {
  const auto begun = __rdtsc();
  if (!sleep_at(mapping_->line->asleep, ready, deadline)) return false;
  mapping_->spins.slept(__rdtsc() - begun);
  return true;
}

void Doorbell::wait_beside(const std::function<bool()>& ready) const { sleep_at(mapping_->line->beside, ready, never); }

bool Doorbell::sleep_at(std::atomic<std::uint32_t>& asleep, const std::function<bool()>& ready, Deadline deadline) const {
  bool for_good = false;
  for (;;) {
    if (asleep.exchange(in_futex, std::memory_order_seq_cst) != in_futex) for_good = false;  // rung meanwhile: the next thread that rings may have read `awake`
    delay_point("bell: said that its owner sleeps");
    bool is_ready = ready();
    for (int poll = 0; poll < PollBudget::before_sleep.usual && !is_ready && !for_good; ++poll) {
      _mm_pause();
      is_ready = ready();
    }
    if (is_ready) break;
    delay_point("bell: about to sleep");
    auto left = deadline == never ? std::chrono::nanoseconds::max() : std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      asleep.store(awake, std::memory_order_seq_cst);
      return ready();
    }
    if (!for_good) left = std::min<std::chrono::nanoseconds>(left, first_sleep);
    timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    const bool endless = left == std::chrono::nanoseconds::max();
    if (futex(&asleep, FUTEX_WAIT, in_futex, endless ? nullptr : &time) != 0 && errno == ETIMEDOUT && !for_good) {
      // `asleep` still says in_futex: after a barrier now, and one more look, no message can have been overlooked.
      for_good = takes_part() && membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0;
    } else {
      for_good = false;
    }
  }
  asleep.store(awake, std::memory_order_seq_cst);
  return true;
}

}  // namespace octavo::road
