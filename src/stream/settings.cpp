// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/settings.hpp"

#include "machine/host/memory_limits.hpp"
#include "octavo/base/error.hpp"
#include "octavo/stream/detail/dealing.hpp"
#include "octavo/stream/detail/run.hpp"

namespace octavo::stream {

std::size_t workers_of(const StageSettings& settings) { return settings.workers == 0 ? cores() : settings.workers; }

Place place_of(const StageSettings& settings, std::size_t worker) {
  return settings.places.empty() ? octavo::thread : settings.places[worker % settings.places.size()];
}

std::string text_of(const Place& place) {
  const Placement& where = place.placement();
  if (where.on_thread) return "thread";
  return where.machine.empty() ? "process" : where.machine;
}

StreamBound checked(const StreamBound& bound) {
  if (bound.items > 0 && bound.bytes > 0) return bound;
  throw usage_error("a stream's bound of " + std::to_string(bound.items) + " items and " + std::to_string(bound.bytes) + " bytes",
                    "Give at least 1 of each: an item that is due has room in any case");
}

std::size_t checked_workers(std::size_t workers) {
  if (workers > 0) return workers;
  throw usage_error("a farm of 0 workers", "Give at least 1, or leave workers() out for as many as there are cores");
}

bool redoes(std::string_view on_death) {
  if (on_death == "redo" || on_death == "error") return on_death == "redo";
  throw usage_error("a stage's on_death(\"" + std::string(on_death) + "\")", "Say \"redo\", or \"error\", which it is if nothing is said");
}

std::uint64_t memory_for_streams() { return static_cast<std::uint64_t>(std::max<std::int64_t>(memory_bound().bytes / 4, 1)); }

void refuse_worker(std::size_t worker, std::size_t workers) {
  throw usage_error("a result for worker " + std::to_string(worker) + " of a farm of " + std::to_string(workers),
                    "Name one from 0 on, or give it more workers()");
}

void refuse_parts(std::size_t parts, std::size_t workers) {
  throw usage_error("scatter() got " + std::to_string(parts) + " parts of an item for " + std::to_string(workers) + " workers", "Give one for each");
}

}  // namespace octavo::stream
