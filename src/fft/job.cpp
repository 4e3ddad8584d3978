// SPDX-License-Identifier: Apache-2.0
#include "octavo/fft/job.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

#include "fft/job_arrays.hpp"
#include "fft/job_files.hpp"
#include "fft/job_processes.hpp"
#include "fft/job_request.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::fft {

namespace {

using Clock = std::chrono::steady_clock;
struct Stopped {};

}  // namespace

struct Job::Parts {
  JobOptions options;
  std::optional<JobArrays> given;
  Storage source;
  FftPlan plan;
  std::unique_ptr<JobFiles> files;   // null: the target is an Array
  std::unique_ptr<Runtime> runtime;  // null: that of the arrays

  // While it runs, in the process that runs it.
  pid_t owner = 0;
  std::map<store_kind, Array> arrays;
  JobProcesses processes;
  std::vector<ProcessTimeline> timelines;
  int interpreters = 0;
  Progress progress;
  Clock::time_point begun;

  // One page, the whole array, where there is one device: what a pass asks for are parts of it. A store's servers take turns by the tiles.
  Array place(const char* role, const Place& machine, const Storage& storage, const Shape& tile, int servers) {
    const Shape& page = storage.is_served() ? tile : storage.shape;
    const std::int64_t staging = storage.is_encoded() ? encoding_memory_of(options, storage, role == std::string_view("target")) : plan.memory.staging;
    Array array = open_array(machine, storage, page, {.staging_bytes = staging, .timeline = wants_timeline()}, servers);
    processes.add_made(role, array);
    if (storage.is_served()) interpreters += static_cast<int>(array.devices().size());
    return array;
  }

  // Of a target that is an Array.
  Array scratch_beside() {
    const DeviceOptions how{.staging_bytes = plan.memory.staging, .timeline = wants_timeline()};
    Array array(plan.shape, plan.shape, plan.out_type, std::vector{given->of_scratch().make<ScratchFile>(given->scratch(plan, options), how)});
    processes.add_made("scratch", array);
    return array;
  }

  const Array& given_as(const char* role, const Array& array) {
    processes.add_given(role, array);
    return array;
  }

  [[nodiscard]] bool wants_timeline() const { return !options.timeline.empty(); }

  void begin() {
    if (given->any()) return;
    RuntimeOptions own{.memory = plan.memory.pool, .ring_bytes = 32 * KiB, .measure = true, .reach = runtime_reach::scope};
    runtime = std::make_unique<Runtime>(own);
  }

  void set_up() {
    auto at = [&](std::size_t number) { return runtime ? Place(runtime->machine()) : given->beside(number); };
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.transforms); ++i) processes.add_making(start(at(i)).make<Transform>(plan, wants_timeline()));
    arrays[store_kind::source] =
        options.from ? given_as("source", *options.from) : place("source", at(0), source, plan.passes.front().read_page, plan.source_devices);
    arrays[store_kind::target] =
        options.to ? given_as("target", *options.to) : place("target", at(0), files->create_target(), plan.passes.back().write_page, plan.target_devices);
    if (files) files->hide_target();
    if (plan.uses_scratch) arrays[store_kind::scratch] = files ? place("scratch", at(0), files->create_scratch(), plan.shape, 1) : scratch_beside();
    processes.all_made();
  }

  // Jobs whose boxes do not fit the pools beside each other take turns. On each machine one process asks, in one order for all jobs: none has what another
  // waits for while it waits itself.
  void reserve_room(const Watch& watch) {
    std::map<std::uint64_t, remote_ptr<Transform>> machines;
    for (const auto& each : processes.transforms()) machines.emplace(each.address().agent, each);
    for (const auto& [agent, transform] : machines)
      for (bool told = false;;) {
        constexpr std::int64_t milliseconds = 100;
        auto reserved = start(transform)->reserve(milliseconds);
        attend(watch, [&] { return reserved.ready(); });
        if (reserved.get()) break;
        if (told || Clock::now() < begun + std::chrono::seconds(5)) continue;
        told = true;
        log_line("a job waits for " + format_bytes(plan.memory.pool) +
                 " of the pool of its arrays, which other jobs have. Less memory for each lets them run together");
      }
  }

  void run_pass(int number, const Watch& watch) {
    const FftPass& pass = plan.passes[static_cast<std::size_t>(number)];
    const auto& transforms = processes.transforms();
    progress.pass = number + 1;
    std::vector<future<void>> beginning;
    beginning.reserve(transforms.size());
    for (const auto& worker : transforms) beginning.push_back(start(worker)->begin(number, arrays.at(pass.reads), arrays.at(pass.writes)));
    for (auto& each : beginning) attend(watch, [&] { return each.ready(); }), each.get();

    // On demand: a transform process that has finished a box gets the next one.
    struct StartedBox {
      std::int64_t number;
      future<std::int64_t> bytes;
    };
    std::vector<std::deque<StartedBox>> open(transforms.size());
    std::int64_t next = 0, done = 0;
    auto oldest_ready = [&] {
      for (const auto& queue : open)
        for (const auto& box : queue)
          if (box.bytes.ready()) return true;
      return false;
    };
    while (done < pass.boxes) {
      for (int level = 0; level < plan.depth; ++level)
        for (std::size_t i = 0; i < transforms.size() && next < pass.boxes; ++i)
          if (open[i].size() <= static_cast<std::size_t>(level)) open[i].push_back({next, start(transforms[i])->transform(next)}), ++next;
      attend(watch, oldest_ready);
      for (auto& queue : open)
        std::erase_if(queue, [&](StartedBox& box) {
          if (!box.bytes.ready()) return false;
          progress.bytes_done += box.bytes.get();
          if (files) files->box_done(number + 1, box.number);
          ++done;
          return true;
        });
    }
  }

  // Waits for a condition, and lets the watcher see and stop.
  void attend(const Watch& watch, const std::function<bool()>& ready) {
    for (;;) {
      bool there = detail::wait_until(ready, Clock::now() + std::chrono::milliseconds(100));
      progress.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
      if (watch && !watch(progress)) throw Stopped{};
      if (there) return;
    }
  }

  JobReport conclude() {
    JobReport report;
    processes.report(report);
    if (wants_timeline()) timelines = processes.timelines();
    report.road_bytes += road_bytes_sent();
    report.bytes_moved = progress.bytes_done;
    if (runtime) report.memory_peak = runtime->memory_peak(), report.program_peak = runtime->program_peak();
    report.memory_budget = options.memory;
    report.interpreters = interpreters;
    if (files) report.removed = files->removed();
    return report;
  }

  // Under the Runtime, which ends once this has returned, if it is the job's own.
  JobReport run_all(const Watch& watch) {
    const auto mine = runtime ? std::unique_ptr<Runtime::Use>(new Runtime::Use(runtime->use())) : nullptr;
    set_up();
    if (!runtime) reserve_room(watch);
    for (int i = 0; i < progress.passes; ++i) run_pass(i, watch);
    std::vector<future<void>> flushed;
    for (const auto& device : arrays.at(store_kind::target).devices()) flushed.push_back(start(device)->flush());
    for (auto& each : flushed) attend(watch, [&] { return each.ready(); }), each.get();
    return conclude();
  }

  void end_processes() noexcept {
    arrays.clear();
    if (!runtime) processes.destroy();
    processes.clear();
    runtime.reset();
    if (files) files->remove_scratch();
  }
};

Job::Job(JobOptions options) : parts_(std::make_unique<Parts>()) {
  auto& parts = *parts_;
  parts.options = std::move(options);
  check_timeline_of(parts.options);
  parts.given.emplace(parts.options);
  parts.source = parts.options.from     ? JobArrays::facts_of(*parts.options.from, parts.options.source)
                 : parts.options.opened ? *parts.options.opened
                                        : open_storage(parts.given->path_there(parts.options.source), parts.options.raw);
  auto request = request_of(parts.options, parts.source);
  std::string what = parts.options.copy ? "copy" : "transform";
  try {
    parts.plan = in_context([&] { return "planning the " + what + " of '" + parts.options.source + "'"; }, [&] { return plan_fft(request); });
  } catch (refused& e) {
    e.path = parts.options.source;
    throw;
  }
  {
    const auto mine = parts.given->use();
    parts.given->check(parts.plan, parts.options);
  }
  if (!parts.options.to) parts.files = std::make_unique<JobFiles>(parts.options, parts.source, parts.plan);
}
// A process forked off the one that runs it has none of its processes to end.
Job::~Job() {
  if (parts_ && parts_->runtime && parts_->owner != ::getpid()) (void)parts_.release();
}
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;

const FftPlan& Job::plan() const noexcept { return parts_->plan; }
const Storage& Job::source() const noexcept { return parts_->source; }
std::vector<ProcessFacts> Job::processes() const { return parts_->runtime ? parts_->runtime->processes() : std::vector<ProcessFacts>(); }

JobReport Job::run(const Watch& watch) {
  auto& parts = *parts_;
  check_timeline_of(parts.options);  // it may be there by now
  parts.begun = Clock::now();
  parts.progress = {};
  parts.progress.passes = static_cast<int>(parts.plan.passes.size());
  for (const auto& pass : parts.plan.passes) parts.progress.bytes_total += pass.bytes_read + pass.bytes_written;
  const auto mine = parts.given->use();
  auto end = [&] {
    parts.end_processes();
    if (parts.files) parts.files->end();
  };
  JobReport report;
  try {
    parts.owner = ::getpid();
    if (parts.files) parts.files->begin();
    parts.begin();
    report = parts.run_all(watch);
    parts.end_processes();
    if (parts.files) parts.files->finish();
    end();
    report.seconds = std::chrono::duration<double>(Clock::now() - parts.begun).count();
  } catch (const Stopped&) {
    end();
    throw cancelled(parts.options.copy ? "the copy was stopped" : "the transform was stopped",
                    parts.files ? "What it had written to '" + parts.options.target + "' is removed"
                                : "'" + parts.options.target + "' has a part of the result: begin again");
  } catch (...) {
    end();
    throw;
  }
  if (parts.wants_timeline())  // the target is there whatever becomes of this
    in_context([&] { return "'" + parts.options.target + "' is done; writing its timeline"; },
               [&] { write_timeline(parts.options.timeline, parts.timelines); });
  return report;
}

}  // namespace octavo::fft
