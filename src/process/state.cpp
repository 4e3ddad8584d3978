// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/state.hpp"

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/error_report.hpp"

namespace octavo::detail {

void StateBase::fail(std::exception_ptr error) {
  error_ = std::move(error);
  finish();
}

void StateBase::complete(wire::Message reply) {
  if (reply.header.kind == wire::frame_kind::error) error_ = decode_error(reply);
  else reply_.emplace(std::move(reply));
  finish();
}

void StateBase::finish() {
  std::function<void()> work;
  {
    std::lock_guard lock(mutex_);
    ready_.store(true, std::memory_order_release);
    ready_.notify_all();
    work = std::move(work_);
    if (abandoned_) report_if_lost();
  }
  if (work) work();
  if (auto* here = Endpoint::current()) here->wake_waiters();
}

void StateBase::on_ready(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (!ready()) {
      work_ = std::move(work);
      work = nullptr;
    }
  }
  if (work) return work();
  if (auto* here = Endpoint::current()) here->need_progress();
}

void StateBase::abandon() noexcept {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  if (ready()) report_if_lost();
}

void StateBase::report_if_lost() noexcept {
  auto* here = Endpoint::current();
  if (error_ && callee && here != nullptr) here->keep_lost_error(callee, error_);
}

void StateBase::rethrow() {
  if (error_) std::rethrow_exception(error_);
  if (reply_ && !reply_->pages.empty()) Endpoint::require().adopt_pages(*reply_);
}

wire::Message StateBase::take_reply() {
  rethrow();
  return reply_ ? std::move(*reply_) : wire::Message();
}

bool wait_for(const StateBase& state, std::chrono::steady_clock::time_point deadline) {
  if (state.ready()) return true;
  if (auto* here = Endpoint::current()) return here->wait_for(state, deadline);
  throw usage_error("waiting for a future without a Runtime", "Make an octavo::Runtime the first statement of main");
}

std::exception_ptr broken_promise() { return std::make_exception_ptr(gone_error("the promise of a future was dropped before it was kept")); }

std::function<void()> resumer(std::coroutine_handle<> handle) {
  auto* here = Endpoint::current();
  if (here == nullptr) return [handle] { handle.resume(); };
  std::uint64_t root = here->root();
  return [here, handle, root] {
    here->post([here, handle, root] {
      Endpoint::RootScope scope(*here, root);
      handle.resume();
    });
  };
}

}  // namespace octavo::detail
