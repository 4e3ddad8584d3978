// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/state.hpp"

#include "octavo/base/log.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/endpoint.hpp"
#include "process/errors/error_report.hpp"
#include "process/forked.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

void StateBase::fail(std::exception_ptr error) noexcept {
  error_ = std::move(error);
  finish();
}

void StateBase::complete(wire::Message reply) {
  try {
    if (reply.header.kind == wire::frame_kind::error) error_ = decode_error(reply);
    else reply_ = std::make_unique<wire::Message>(std::move(reply));
  } catch (...) {  // no memory: the call is not among the pending ones any more, so this is the last that is heard of it
    error_ = std::current_exception();
  }
  finish();
}

void StateBase::complete_plain(ByteView result) noexcept {
  try {
    set_plain(result);
  } catch (...) {
    error_ = std::current_exception();
  }
  make_ready();
}

void StateBase::finish() noexcept {
  make_ready();
  wake_current();
}

void StateBase::make_ready() noexcept {
  delay_point("state: about to be ready");
  std::unique_ptr<Continuation> told;
  bool lost = false;
  {
    std::lock_guard lock(mutex_);
    ready_.store(true, std::memory_order_release);
    told = std::move(told_);
    lost = abandoned_;
  }
  delay_point("state: is ready, nobody was told");
  if (lost) report_if_lost();
  while (told) {
    auto next = std::move(told->next_);
    tell(std::move(told));
    told = std::move(next);
  }
}

// The thread that makes a state ready reads for others too, or runs a disk: an exception of the continuation must not end that thread.
void StateBase::tell(std::unique_ptr<Continuation> what) noexcept {
  auto* told = what.get();
  try {
    told->tell(std::move(what));
  } catch (const std::exception& e) {
    log_line(std::string("what was to run when a future is ready threw, and nobody can catch it there: ") + e.what());
  } catch (...) {
    log_line("what was to run when a future is ready threw, and nobody can catch it there");
  }
}

bool StateBase::attach(std::unique_ptr<Continuation>& what) {
  if (ready()) return false;
  if (auto* here = Endpoint::current()) here->need_progress();  // first: it may throw, and once attached there is no way back
  delay_point("state: not ready, about to attach");
  std::lock_guard lock(mutex_);
  if (ready()) return false;
  auto* end = &told_;
  while (*end) end = &(*end)->next_;
  *end = std::move(what);
  return true;
}

void StateBase::detach(const void* owner) noexcept {
  std::unique_ptr<Continuation> found;  // destroyed without the lock: it may own much
  std::lock_guard lock(mutex_);
  for (auto* at = &told_; *at; at = &(*at)->next_) {
    if ((*at)->owner != owner) continue;
    found = std::move(*at);
    *at = std::move(found->next_);
    return;
  }
}

void StateBase::need(Needs what) {
  std::lock_guard lock(mutex_);
  needs_ = std::move(what);
}

Needs StateBase::needs() const {
  std::lock_guard lock(mutex_);
  return needs_;
}

// A future that is dropped because an exception passes was not dropped by choice: its owner hears of that exception, which often has the same cause.
void StateBase::abandon() noexcept {
  if (std::uncaught_exceptions() > 0) return;
  {
    std::lock_guard lock(mutex_);
    delay_point("state: abandoned");
    abandoned_ = true;
    if (!ready()) return;
  }
  report_if_lost();
}

namespace {
// A program that drops a future after cancel() knows: that the call did not run is what it wanted.
bool was_cancelled(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}
}  // namespace

void StateBase::report_if_lost() noexcept {
  auto* here = Endpoint::current();
  if (error_ && callee && here != nullptr && !was_cancelled(error_)) here->calls().keep_lost_error(callee, error_);
}

// From here on the death of a callee is no news.
void StateBase::rethrow() {
  if (error_) try {
      std::rethrow_exception(error_);
    } catch (const process_died& death) {
      if (auto* here = Endpoint::current()) here->around().links.told().note(death.obituary());
      throw;
    }
  if (reply_ && !reply_->pages.empty()) adopt_pages(Endpoint::require().around().pool, *reply_);
}

wire::Message StateBase::take_reply() {
  rethrow();
  return reply_ ? std::move(*reply_) : wire::Message();
}

bool wait_for(StateBase& state, std::chrono::steady_clock::time_point deadline) {
  if (state.ready()) return true;
  const Visit visit;  // the Runtime may end meanwhile, in another thread
  if (auto* here = Endpoint::current()) return here->cycles().wait_for(state, deadline);
  Endpoint::raise_none("waiting for a future");
}

std::exception_ptr broken_promise() { return std::make_exception_ptr(gone_error("the promise of a future was dropped before it was kept")); }

void raise_empty(const char* doing) {
  throw usage_error(std::string(doing) + " of an empty future",
                    "It was moved from, given to then, when_all, when_any or when_n, or its value was taken: once is all");
}

void raise_too_few(const char* doing, std::size_t wanted, std::size_t given) {
  throw usage_error(std::string(doing) + " was to wait for " + std::to_string(wanted) + " futures of " + std::to_string(given),
                    "Give it at least as many as are to be ready");
}

void raise_kept() {
  throw usage_error("a promise that has no future to keep any more", "Set its value or its exception once; for the next one make a new promise");
}

bool suspend_until_ready(StateBase& state, std::coroutine_handle<> handle) {
  // It goes on where what runs now does.
  auto* here = Endpoint::current();
  auto root_of = [](const CallContext& context) { return context.runs_for_a_thread() ? Executor::no_method : context.root(); };
  auto resumption = here != nullptr ? std::make_unique<Resumption>(handle, state, here->executor(), root_of(here->context()), here->context().to_all())
                                    : std::make_unique<Resumption>(handle, state, nullptr, 0);
  auto* mine = resumption.get();
  std::unique_ptr<Continuation> what = std::move(resumption);
  try {
    if (state.attach(what)) return true;
  } catch (...) {
    mine->let_go();
    throw;
  }
  mine->let_go();
  return false;
}

}  // namespace octavo::detail
