// SPDX-License-Identifier: Apache-2.0
#include "octavo/fft/job.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

#include "fft/job_files.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/fft/transform.hpp"
#include "process/inquiry/stillness.hpp"

namespace octavo::fft {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t most_servers = 8;

int cores_of(const JobOptions& options) {
  if (options.cores < 0) throw usage_error("a job on " + std::to_string(options.cores) + " cores", "Give at least 1, or leave it out");
  if (options.cores > 0) return options.cores;
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof(mine), &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

// Other libraries decode on one core each: half of the cores do that, the others transform; they take no more than an eighth of the memory.
int servers_of(const JobOptions& options, std::int64_t unit_bytes) {
  std::int64_t fit = options.memory / 8 / std::max<std::int64_t>(1, unit_bytes);
  return static_cast<int>(std::clamp<std::int64_t>(std::min<std::int64_t>(fit, cores_of(options) / 2), 1, most_servers));
}

FftEnd end_of(storage_format format, std::int64_t unit_bytes, std::size_t devices, int servers) {
  FftEnd end;
  end.whole_chunks = format == storage_format::store;
  if (end.whole_chunks) end.unit_bytes = unit_bytes, end.devices = servers;
  end.paged = format == storage_format::pages;
  if (end.paged) end.devices = static_cast<int>(std::max<std::size_t>(1, devices));
  return end;
}

FftRequest request_of(const JobOptions& options, const Storage& source) {
  const TargetOptions& as = options.target_as;
  storage_format target = target_format(options);
  FftRequest request{.shape = source.shape,
                     .type = source.type,
                     .copy = options.copy,
                     .axes = options.axes,
                     .inverse = options.inverse,
                     .norm = options.norm,
                     .source_chunk = source.chunk,
                     .source_flat = is_flat(source.format),
                     .target_flat = is_flat(target),
                     .target_chunk = as.chunks,
                     .memory = options.memory,
                     .cores = cores_of(options),
                     .source = end_of(source.format, source.unit_bytes, source.files.size(), servers_of(options, source.unit_bytes)),
                     .target = end_of(target, as.unit_bytes, as.devices.size(), as.creates_zarr ? servers_of(options, as.unit_bytes) : 1)};
  // A copy keeps the chunks, where the options do not say otherwise.
  if (options.copy && !as.chunks && !request.target_flat && !request.source_flat) request.target_chunk = source.chunk;
  return request;
}

struct Stopped {};

}  // namespace

struct Job::Parts {
  JobOptions options;
  Storage source;
  FftPlan plan;
  std::unique_ptr<JobFiles> files;
  std::unique_ptr<Runtime> runtime;

  // While it runs, in the process that runs it.
  pid_t owner = 0;
  std::map<store_kind, Array> arrays;
  std::vector<remote_ptr<PageDevice>> devices;
  std::vector<remote_ptr<Transform>> transforms;
  int interpreters = 0;
  Progress progress;
  Clock::time_point begun;

  // One page, the whole array, where there is one device: what a pass asks for are parts of it. A store's servers take turns by the tiles.
  Array place(const Machine& machine, const Storage& storage, const Shape& tile, int servers) {
    const Shape& page = storage.format == storage_format::store ? tile : storage.shape;
    Array array = open_array(machine, storage, page, {plan.memory.staging, 0}, servers);
    devices.insert(devices.end(), array.devices().begin(), array.devices().end());
    if (storage.format == storage_format::store) interpreters += static_cast<int>(array.devices().size());
    return array;
  }

  void begin() {
    RuntimeOptions own{.memory = plan.memory.pool, .ring_bytes = 32 * KiB, .measure = true, .reach = runtime_reach::scope};
    runtime = std::make_unique<Runtime>(own);
  }

  void set_up() {
    auto machine = runtime->machine();
    std::vector<future<remote_ptr<Transform>>> making;
    making.reserve(static_cast<std::size_t>(plan.transforms));
    for (int i = 0; i < plan.transforms; ++i) making.push_back(start(machine).make<Transform>(plan));
    arrays[store_kind::source] = place(machine, source, plan.passes.front().read_page, plan.source_devices);
    arrays[store_kind::target] = place(machine, files->create_target(), plan.passes.back().write_page, plan.target_devices);
    files->hide_target();
    if (plan.uses_scratch) arrays[store_kind::scratch] = place(machine, files->create_scratch(), plan.shape, 1);
    for (auto& each : making) transforms.push_back(each.get());
  }

  void run_pass(int number, const Watch& watch) {
    const FftPass& pass = plan.passes[static_cast<std::size_t>(number)];
    progress.pass = number + 1;
    std::vector<future<void>> beginning;
    for (const auto& worker : transforms) beginning.push_back(start(worker)->begin(number, arrays.at(pass.reads), arrays.at(pass.writes)));
    for (auto& each : beginning) attend(watch, [&] { return each.ready(); }), each.get();

    // On demand: a transform process that has finished a box gets the next one.
    struct Box {
      std::int64_t number;
      future<std::int64_t> bytes;
    };
    std::vector<std::deque<Box>> open(transforms.size());
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
        std::erase_if(queue, [&](Box& box) {
          if (!box.bytes.ready()) return false;
          progress.bytes_done += box.bytes.get();
          files->box_done(number + 1, box.number);
          ++done;
          return true;
        });
    }
  }

  // Waits for a condition, and lets the watcher see and stop.
  void attend(const Watch& watch, const std::function<bool()>& ready) {
    for (;;) {
      bool there = detail::look_up_after(std::chrono::milliseconds(100), ready);
      progress.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
      if (watch && !watch(progress)) throw Stopped{};
      if (there) return;
    }
  }

  JobReport conclude() {
    JobReport report;
    for (const auto& device : devices) report.road_bytes += device->counters().road_bytes;
    for (const auto& worker : transforms) {
      auto each = worker->report();
      report.road_bytes += each.road_bytes;
      report.computing += each.computing;
    }
    report.road_bytes += road_bytes_sent();
    report.bytes_moved = progress.bytes_done;
    report.memory_peak = runtime->memory_peak();
    report.program_peak = runtime->program_peak();
    report.memory_budget = options.memory;
    report.processes = static_cast<int>(devices.size() + transforms.size());
    report.interpreters = interpreters;
    report.removed = files->removed();
    return report;
  }

  // Under the Runtime, which ends once this has returned.
  JobReport run_all(const Watch& watch) {
    auto mine = runtime->use();
    set_up();
    for (int i = 0; i < progress.passes; ++i) run_pass(i, watch);
    std::vector<future<void>> flushed;
    for (const auto& device : arrays.at(store_kind::target).devices()) flushed.push_back(start(device)->flush());
    for (auto& each : flushed) attend(watch, [&] { return each.ready(); }), each.get();
    return conclude();
  }

  void end_processes() noexcept {
    arrays.clear();
    devices.clear();
    transforms.clear();
    runtime.reset();
    files->remove_scratch();
  }
};

Job::Job(JobOptions options) : parts_(std::make_unique<Parts>()) {
  auto& parts = *parts_;
  parts.options = std::move(options);
  parts.source = parts.options.opened ? *parts.options.opened : open_storage(parts.options.source, parts.options.raw);
  auto request = request_of(parts.options, parts.source);
  std::string what = parts.options.copy ? "copy" : "transform";
  parts.plan = in_context([&] { return "planning the " + what + " of '" + parts.options.source + "'"; }, [&] { return plan_fft(request); });
  parts.files = std::make_unique<JobFiles>(parts.options, parts.source, parts.plan);
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
  parts.begun = Clock::now();
  parts.progress = {};
  parts.progress.passes = static_cast<int>(parts.plan.passes.size());
  for (const auto& pass : parts.plan.passes) parts.progress.bytes_total += pass.bytes_read + pass.bytes_written;
  try {
    parts.owner = ::getpid();
    parts.files->begin();
    parts.begin();
    JobReport report = parts.run_all(watch);
    parts.end_processes();
    parts.files->finish();
    parts.files->end();
    report.seconds = std::chrono::duration<double>(Clock::now() - parts.begun).count();
    return report;
  } catch (const Stopped&) {
    parts.end_processes();
    parts.files->end();
    throw refused(parts.options.copy ? "the copy was stopped" : "the transform was stopped",
                  "What it had written to '" + parts.options.target + "' is removed");
  } catch (...) {
    parts.end_processes();
    parts.files->end();
    throw;
  }
}

}  // namespace octavo::fft
