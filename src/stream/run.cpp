// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/run.hpp"

#include <sched.h>

#include <algorithm>
#include <span>

#include "base/start_thread.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/stream/emit.hpp"
#include "octavo/stream/graph.hpp"

namespace octavo::stream {

namespace {

double seconds_of(std::uint64_t ns) noexcept { return 1e-9 * static_cast<double>(ns); }

}  // namespace

Crew::Crew(StageSettings settings, std::size_t workers, std::uint64_t numbers)
    : settings_(std::move(settings)), numbers_(numbers), at_(workers), left_(workers) {}

void Crew::run(std::size_t worker) noexcept {
  counters_[worker].begin();
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
  counters_[worker].end();
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

ShownPart Crew::shown(part what) const {
  return {.what = what, .name = settings_.name, .place = places_of(settings_), .workers = workers(), .lines = workers()};
}

StageReport Crew::report() const {
  StageReport report{.name = settings_.name, .place = places_of(settings_)};
  for (const Counters& each : std::span(counters_, workers())) {
    report.taken += each.taken;
    report.given += each.given;
    report.waited_for_input += seconds_of(each.waited_for_input);
    report.waited_for_room += seconds_of(each.waited_for_room);
    report.busy += seconds_of(each.busy);
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

void Run::show() {
  std::vector<ShownPart> parts;
  for (const auto& crew : crews_) {
    const bool takes_results = has_sink && crew == crews_.back();
    parts.push_back(crew->shown(crew == crews_.front() ? part::source : !crew->is_seen() ? part::dealer : takes_results ? part::sink : part::stage));
  }
  if (!has_sink) parts.push_back({.what = part::sink, .name = "reader"});
  shown_ = std::make_unique<Shown>(parts);
  for (std::size_t i = 0; i < crews_.size(); ++i) crews_[i]->counters_ = shown_->counters(i);
}

void Run::begin(bool last_too) {
  show();
  std::size_t threads = 0;
  for (const auto& crew : crews_) threads += crew->workers();
  const int polls = threads <= cores() && played_ == nullptr ? 300 : 0;
  for (const auto& crew : crews_) crew->played_ = played_;
  for (const Gap& gap : gaps_) {
    for (const auto& belt : gap.belts) {
      belt->poll_first(polls);
      belt->play(played_);
    }
  }
  for (const auto& crew : crews_) crew->open();
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
    std::function<void()> work = [this, &crew, worker, left] {
      crew.run(worker);
      if (left->fetch_sub(1, std::memory_order_acq_rel) == 1) has_ended();
    };
    if (played_ != nullptr) played_->start(std::move(work));
    else threads_.push_back(start_thread("of a stream", std::move(work)));
  }
}

// A crew; a loop that reads may have some results before it, and does not end with the last.
void Run::has_ended() noexcept {
  if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1 && has_sink) shown_->hide();
}

void Run::work_here() {
  Crew& last = *crews_.back();
  if (last.workers() == 1) {
    last.run(0);
    has_ended();
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
  if (played_ != nullptr && shown_ != nullptr) played_->join();
  for (auto& thread : threads_) thread.join();
  if (!threads_.empty() || seconds_ == 0) seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  threads_.clear();
  if (shown_ != nullptr) shown_->end();
  turn_.end();  // a program may keep this run for its report
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
  if (!has_sink) report.delivered = shown_->counters(crews_.size())->taken;
  return report;
}

std::size_t cores() noexcept {
  cpu_set_t mine;  // without a file to read, as hardware_concurrency() has
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mine)) : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace octavo::stream
