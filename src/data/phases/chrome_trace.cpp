// SPDX-License-Identifier: Apache-2.0
// The trace event format of Chrome, which Perfetto reads: complete events ("X") in microseconds.
#include "data/phases/chrome_trace.hpp"

#include <algorithm>

#include "data/text/json.hpp"

namespace octavo {

namespace {

// "transform 1 (pid 4711 on box)".
std::string title_of(const ProcessTimeline& told) {
  return told.name + " (pid " + std::to_string(told.pid) + (told.machine.empty() ? "" : " on " + told.machine) + ")";
}

// Of the first span of all.
std::int64_t begin_of(const std::vector<ProcessTimeline>& processes) {
  std::int64_t begin = INT64_MAX;
  for (const auto& each : processes)
    if (!each.timeline.spans.empty()) begin = std::min(begin, each.timeline.spans.front().begin);
  return begin;
}

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

Json fact_of(const char* name, std::size_t number, Json arguments) {
  return {{"name", name}, {"ph", "M"}, {"pid", number}, {"tid", number}, {"args", std::move(arguments)}};
}

}  // namespace

// Processes are numbered: pids of several machines may be the same.
std::string chrome_trace(const std::vector<ProcessTimeline>& processes) {
  const std::int64_t zero = begin_of(processes);
  Json events = Json::array();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto& told = processes[i];
    events.push_back(fact_of("process_name", i + 1, {{"name", title_of(told)}}));
    events.push_back(fact_of("process_sort_index", i + 1, {{"sort_index", i + 1}}));
    for (const auto& span : told.timeline.spans)
      if (span.what != phase::idle)
        events.push_back({{"name", name_of(span.what)},
                          {"cat", "phase"},
                          {"ph", "X"},
                          {"ts", microseconds(span.begin - zero)},
                          {"dur", microseconds(span.end - span.begin)},
                          {"pid", i + 1},
                          {"tid", i + 1}});
  }
  const Json trace{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace octavo
