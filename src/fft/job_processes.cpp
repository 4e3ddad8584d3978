// SPDX-License-Identifier: Apache-2.0
#include "fft/job_processes.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include "data/array/take_made.hpp"
#include "data/phases/clock.hpp"
#include "fft/job_paths.hpp"
#include "machine/control.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"

namespace octavo::fft {

namespace {

constexpr std::chrono::seconds longest_end{3};

std::string numbered(const std::string& name, std::size_t number, std::size_t count) { return count == 1 ? name : name + " " + std::to_string(number + 1); }

std::vector<ProcessFacts> everyone() { return detail::Endpoint::require().around().agent.ask<control::Listing>(control::List{}).processes; }

// Of one with a name, which other programs may know, nothing but that it is there.
ProcessFacts facts_of(const Address& who, const std::vector<ProcessFacts>& all) {
  auto found = std::ranges::find(all, who, &ProcessFacts::address);
  return found == all.end() ? ProcessFacts() : *found;
}

// The result is there, and stays: a process that is gone since takes along what it did, and nothing else.
template <class Ask>
auto told_by(const std::string& name, Ask&& ask) -> decltype(ask()) {
  try {
    return ask();
  } catch (const error& e) {
    log_line("the report of a job lacks " + name + ": " + e.what());
    return {};
  }
}

// The job is done, or has failed: none of them has anything to lose. One that waits for a device that has stopped, or for a disk, is killed.
void destroy_all(const std::vector<Address>& processes) noexcept {
  std::vector<std::pair<Address, std::shared_ptr<detail::State<void>>>> ending;
  const auto told = [&](const auto& act) {
    try {
      act();
    } catch (const std::exception& e) {
      log_line(std::string("ending a process of a job: ") + e.what());
    }
  };
  for (const auto& each : processes)
    told([&] {
      auto state = std::make_shared<detail::State<void>>();
      detail::begin_destroy(state, each);
      ending.emplace_back(each, std::move(state));
    });
  const auto deadline = std::chrono::steady_clock::now() + longest_end;
  for (const auto& [who, state] : ending)
    told([&] {
      if (detail::wait_until([&] { return state->ready(); }, deadline)) detail::finish_call(*state);
      else detail::Endpoint::require().around().agent.ask<control::Done>(control::Kill{0, who, SIGKILL});
    });
}

}  // namespace

void check_timeline_of(const JobOptions& options) {
  if (options.timeline.empty()) return;
  check_timeline(options.timeline);
  const auto drawn = real_path(options.timeline);
  for (const auto& array : {options.source, options.target})
    if (!array.empty() && is_within(drawn, real_path(array)))
      throw usage_error("the timeline '" + options.timeline + "' is an array of the job, or lies within one", "Give it a name of its own");
  if (drawn.filename() == "zarr.json")
    throw usage_error("the timeline '" + options.timeline + "' is called as what Zarr knows an array or a group by", "Give it another name");
  if (std::error_code unseen; !options.overwrite && std::filesystem::exists(drawn, unseen))
    throw usage_error("the timeline '" + options.timeline + "' exists", "Give another name, or overwrite=True");
}

void JobProcesses::add(const std::string& role, const Array& array, bool made) {
  const auto& devices = array.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto same = std::ranges::find(devices_, devices[i].address(), [](const Device& each) { return each.device.address(); });
    if (same == devices_.end())
      devices_.push_back({numbered(role, i, devices.size()), devices[i], made, made ? DeviceCounters() : devices[i]->counters(), made ? 0 : clock_now()});
    else same->name += ", " + role;  // in its place
  }
}

void JobProcesses::all_made() { take_made(std::exchange(making_, {}), transforms_); }

void JobProcesses::destroy() noexcept {
  try {
    all_made();  // a failure of the job may have come while they were being made
  } catch (const std::exception& e) {
    log_line(std::string("making a process of a job: ") + e.what());
  }
  std::vector<Address> made;
  for (const auto& each : transforms_) made.push_back(each.address());
  for (const auto& each : devices_)
    if (each.made) made.push_back(each.device.address());
  destroy_all(made);
}

void JobProcesses::clear() noexcept {
  devices_.clear();
  making_.clear();
  transforms_.clear();
}

std::string JobProcesses::name_of_transform(std::size_t number) const { return numbered("transform", number, transforms_.size()); }

void JobProcesses::report(JobReport& report) const {
  const auto all = everyone();
  const auto add = [&](const std::string& name, const Address& who, std::uint64_t road_bytes, const Phases& phases) {
    const ProcessFacts known = facts_of(who, all);
    report.road_bytes += road_bytes;
    report.phases.push_back({name, known.machine, known.pid, phases});
  };
  for (const auto& each : devices_) {
    const DeviceCounters told = told_by(each.name, [&] { return each.device->counters().since(each.before); });
    add(each.name, each.device.address(), told.road_bytes, told.phases);
  }
  for (std::size_t i = 0; i < transforms_.size(); ++i) {
    const TransformReport told = told_by(name_of_transform(i), [&] { return transforms_[i]->report(); });
    add(name_of_transform(i), transforms_[i].address(), told.road_bytes, told.phases);
    report.computing += told.phases.computing.seconds;
  }
  report.processes = static_cast<int>(transforms_.size()) + static_cast<int>(std::ranges::count_if(devices_, &Device::made));
}

std::vector<ProcessTimeline> JobProcesses::timelines() const {
  const auto processes = everyone();
  std::vector<ProcessTimeline> all;
  const auto add = [&](const std::string& name, const Address& who, Timeline timeline, std::int64_t since) {
    const ProcessFacts known = facts_of(who, processes);
    std::erase_if(timeline.spans, [&](const PhaseSpan& span) { return span.begin < since; });
    all.push_back({name, known.machine, known.pid, std::move(timeline)});
  };
  for (const auto& each : devices_) add(each.name, each.device.address(), told_by(each.name, [&] { return timeline_of(each.device); }), each.since);
  for (std::size_t i = 0; i < transforms_.size(); ++i) {
    const std::int64_t asked = clock_now();
    const Address who = transforms_[i].address();
    add(name_of_transform(i), who, told_by(name_of_transform(i), [&] { return by_our_clock(transforms_[i]->timeline(), who, asked); }), 0);
  }
  return all;
}

}  // namespace octavo::fft
