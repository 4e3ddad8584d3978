// SPDX-License-Identifier: Apache-2.0
// Which endpoint is in force: the calling thread's, else the program's; none in a process that was forked off.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "octavo/process/detail/other_languages.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"
#include "process/forks_so_far.hpp"

namespace octavo::detail {

constinit std::atomic<unsigned> forks_so_far{0};

namespace {
// With the method table, the only state that is not owned by somebody: an arrow has no argument for it.
std::atomic<Endpoint*> the_endpoint{nullptr};
[[gnu::tls_model("initial-exec")]] constinit thread_local Endpoint* of_this_thread = nullptr;

std::atomic<int> living{0};                                                     // endpoints of this process
std::atomic<int> visitors{0};                                                   // threads that are in wake_current(), or in a Visit
std::atomic<pid_t> ended_by{0};                                                 // the thread, of the endpoint that is in force in the whole program
[[gnu::tls_model("initial-exec")]] constinit thread_local bool visits = false;  // this thread does
std::atomic<pid_t> parent{0};                                                   // see forked_off()
std::atomic<pid_t> owner{0};                                                    // of those that are, or were, in force

// In the child of fork(2), which has this thread only, before it goes on.
void leave_to_parent() noexcept {
  if (living.exchange(0) == 0) return;
  forks_so_far.fetch_add(1);
  if (the_endpoint.exchange(nullptr) != nullptr) parent.store(owner.load());
  of_this_thread = nullptr;
  visitors.store(0);  // they are the parent's
  visits = false;
}
}  // namespace

pid_t forked_off() noexcept { return parent.load(std::memory_order_relaxed); }
unsigned forks() noexcept { return forks_so_far.load(std::memory_order_relaxed); }

void raise_forked(pid_t of) {
  throw usage_error("this Runtime belongs to process " + std::to_string(of) + ", which forked this one",
                    "Make a Runtime in the child, or start the child with exec (in Python: multiprocessing's spawn)");
}

Endpoint* Endpoint::current() noexcept { return of_this_thread != nullptr ? of_this_thread : the_endpoint.load(std::memory_order_acquire); }

void wake_current() noexcept {
  if (of_this_thread != nullptr) return of_this_thread->wake_waiters();
  visitors.fetch_add(1);
  if (auto* here = the_endpoint.load()) here->wake_waiters();
  visitors.fetch_sub(1);
}

Visit::Visit() noexcept : counts_(of_this_thread == nullptr && !std::exchange(visits, true)), life_(forks()) {
  if (counts_) visitors.fetch_add(1);
}
Visit::~Visit() {
  if (!counts_ || life_ != forks()) return;
  visitors.fetch_sub(1);
  visits = false;
}
bool Visit::ends() noexcept { return ended_by.load(std::memory_order_relaxed) != 0; }

Endpoint::Use::Use(Endpoint& endpoint) : before_(std::exchange(of_this_thread, &endpoint)), life_(forks()) {}
Endpoint::Use::~Use() { of_this_thread = life_ == forks() ? before_ : nullptr; }

void Endpoint::raise_none(const char* what) {
  if (const pid_t of = owner.load(); of != 0 && of != ::getpid()) raise_forked(of);
  // The thread that ended it knows; another one may be between two waits.
  if (Visit::ends() && ended_by.load() != ::gettid()) throw gone_error(std::string(what) + ", and the Runtime ended meanwhile");
  throw usage_error(std::string(what) + " without a Runtime", "Make an octavo::Runtime the first statement of main");
}

Endpoint& Endpoint::require() {
  if (auto* here = current()) return *here;
  raise_none("a remote pointer was used");
}

void Endpoint::come_into_force() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, leave_to_parent);
  Endpoint* none = nullptr;
  if (reach_ == runtime_reach::program && !the_endpoint.compare_exchange_strong(none, this))
    throw usage_error("a second Runtime in one program", "Keep one, and pass it on");
  if (reach_ == runtime_reach::program) ended_by.store(0);
  living.fetch_add(1);
  owner.store(::getpid());
}

void program_ends() noexcept { ended_by.store(::gettid()); }

const char* gone_text() noexcept { return Visit::ends() ? "the Runtime ended while this thread waited" : "the agent of this program is gone"; }

bool is_seen_to_have_ended(const Address& who) { return Endpoint::require().around().links.is_seen_to_have_ended(who); }

void Endpoint::end_force() noexcept {
  if (reach_ == runtime_reach::program) {
    the_endpoint.store(nullptr);
    const int own = visits ? 1 : 0;                 // a callback ends the Runtime
    while (visitors.load() > own) ::sched_yield();  // they wake, or have failed: neither waits for long
    poller_.waiters().await_end_of_last_reader();   // which has polled for a moment
  }
  if (of_this_thread == this) of_this_thread = nullptr;  // a Use outlives it
  living.fetch_sub(1);
}

}  // namespace octavo::detail
