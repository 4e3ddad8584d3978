// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/run.hpp"

#include <algorithm>

#include "base/start_thread.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/stream/emit.hpp"
#include "octavo/stream/graph.hpp"

namespace octavo::stream {

Crew::Crew(StageSettings settings, std::size_t workers, std::uint64_t numbers)
    : settings_(std::move(settings)), numbers_(numbers), counters_(workers), at_(workers), left_(workers) {}

void Crew::run(std::size_t worker) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  try {
    work(worker);
  } catch (const Stopped&) {
    refuse_input_();
  } catch (...) {
    failed(worker);
    close_where_it_failed();
    refuse_input_();
  }
  leave(worker);
  counters_[worker].lived = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) close_output();
}

void Crew::failed(std::size_t worker) noexcept {
  const std::lock_guard lock(mutex_);
  const auto number = at_[worker].number;
  if (error_ && failed_item_ <= number) return;
  error_ = std::current_exception();
  failed_item_ = number;
  fails_at_.store(number, std::memory_order_release);
}

std::exception_ptr Crew::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

StageReport Crew::report() const {
  StageReport report{.name = settings_.name, .place = places_of(settings_)};
  for (const Counters& each : counters_) {
    report.taken += each.taken;
    report.given += each.given;
    report.waited_for_input += each.waited_for_input;
    report.waited_for_room += each.waited_for_room;
    report.busy += std::max(0.0, each.lived - each.waited_for_input - each.waited_for_room);
  }
  return report;
}

RunsOnce::Turn RunsOnce::begin() {
  if (runs_.exchange(true, std::memory_order_acq_rel)) throw usage_error("this stream runs already", "Wait for its end; or describe another one");
  return Turn(runs_);
}

Run::~Run() {
  cancel();
  join();
}

void Run::add(std::unique_ptr<Crew> crew) {
  crew->run_ = this;
  crew->refuse_input_ = [this, number = crews_.size()] { refuse_input_of(number); };
  crews_.push_back(std::move(crew));
}

// What was dealt to other workers before one failed is still to be done.
void Run::refuse_input_of(std::size_t crew) noexcept {
  for (std::size_t i = 0; i < crew; ++i) {
    if (gaps_[i].are_lanes && i + 1 == crew) continue;
    for (const auto& belt : gaps_[i].belts) belt->cancel();
  }
}

void Run::begin(bool last_too) {
  std::size_t threads = 0;
  for (const auto& crew : crews_) threads += crew->workers();
  const int polls = threads <= cores() ? 300 : 0;
  for (const Gap& gap : gaps_)
    for (const auto& belt : gap.belts) belt->poll_first(polls);
  running_ = crews_.size();
  try {
    for (const auto& crew : crews_)
      if (last_too || crew != crews_.back()) start(*crew);
  } catch (...) {
    cancel();
    join();
    throw;
  }
}

void Run::start(Crew& crew) {
  auto left = std::make_shared<std::atomic<std::size_t>>(crew.workers());
  for (std::size_t worker = 0; worker < crew.workers(); ++worker) {
    threads_.push_back(start_thread("of a stream", [this, &crew, worker, left] {
      crew.run(worker);
      if (left->fetch_sub(1, std::memory_order_acq_rel) == 1) running_.fetch_sub(1, std::memory_order_acq_rel);
    }));
  }
}

void Run::work_here() {
  Crew& last = *crews_.back();
  if (last.workers() == 1) {
    last.run(0);
    running_.fetch_sub(1, std::memory_order_acq_rel);
  } else {
    start(last);
  }
  join();
}

bool Run::cancel() noexcept {
  if (is_done()) return false;
  cancelled_.store(true, std::memory_order_release);
  for (const Gap& gap : gaps_)
    for (const auto& belt : gap.belts) belt->cancel();
  return true;
}

void Run::join() noexcept {
  for (auto& thread : threads_) thread.join();
  if (!threads_.empty() || seconds_ == 0) seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  threads_.clear();
}

// Of several errors that of the last stage came first in the order of the items.
std::exception_ptr Run::error() const {
  for (auto crew = crews_.rbegin(); crew != crews_.rend(); ++crew)
    if (auto error = (*crew)->error()) return error;
  return cancelled_ ? std::make_exception_ptr(octavo::cancelled("the stream was cancelled", "Its report says what each stage has done")) : nullptr;
}

StreamReport Run::report() const {
  StreamReport report{.seconds = seconds_};
  std::uint64_t came = crews_.front()->report().given;  // to the next one
  for (const auto& crew : crews_) {
    auto each = crew->report();
    if (crew->error()) {
      report.failed_stage = each.name;
      report.failed_item = crew->failed_item();
    }
    if (crew == crews_.front() || !crew->is_seen()) continue;
    each.left = came - std::min(came, each.taken);
    came = each.given;
    if (has_sink && crew == crews_.back()) report.delivered = each.taken;
    else report.stages.push_back(std::move(each));
  }
  if (!has_sink) report.delivered = delivered_;
  return report;
}

std::size_t cores() noexcept { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace octavo::stream
