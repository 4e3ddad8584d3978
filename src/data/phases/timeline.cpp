// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "data/phases/chrome_trace.hpp"
#include "data/phases/clock.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"
#include "process/endpoint.hpp"

namespace octavo {

namespace fs = std::filesystem;

const char* name_of(phase which) noexcept {
  switch (which) {
    case phase::reading: return "reading";
    case phase::caching: return "caching";
    case phase::computing: return "computing";
    case phase::network: return "network";
    case phase::writing: return "writing";
    case phase::waiting: return "waiting";
    case phase::idle: return "idle";
  }
  return "?";
}

void check_timeline(const std::string& file) {
  if (ending_of(file) != ".json")
    throw usage_error("the timeline '" + file + "' does not end in .json", "Call it so, and open it with https://ui.perfetto.dev or chrome://tracing");
  const fs::path path = fs::absolute(file), directory = path.parent_path();
  if (fs::is_directory(path)) throw io_error("the timeline '" + file + "' is a directory", "Give it another name");
  if (!fs::is_directory(directory)) throw io_error("the directory of the timeline, '" + directory.string() + "', does not exist", "Make it first");
  if (::access(directory.c_str(), W_OK) != 0) throw io_error_from(errno, "the directory of the timeline, '" + directory.string() + "', cannot be written to");
}

void write_timeline(const std::string& file, const std::vector<ProcessTimeline>& processes) {
  check_timeline(file);
  write_file(file, chrome_trace(processes));
}

std::int64_t clock_now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Timeline by_our_clock(Timeline told, const Address& who, std::int64_t asked) {
  if (who.agent == detail::Endpoint::require().around().self.address.agent) return told;
  const std::int64_t apart = asked + (clock_now() - asked) / 2 - told.now;
  told.now += apart;
  for (auto& span : told.spans) span.begin += apart, span.end += apart;
  return told;
}

Timeline timeline_of(const remote_ptr<PageDevice>& device) {
  const std::int64_t asked = clock_now();
  return by_our_clock(device->timeline(), device.address(), asked);
}

Phases Phases::since(const Phases& before) const {
  const auto less = [](const Phase& now, const Phase& then) -> Phase {
    return {now.seconds - then.seconds, now.under_way - then.under_way, now.bytes - then.bytes};
  };
  return {less(reading, before.reading),
          less(caching, before.caching),
          less(computing, before.computing),
          less(network, before.network),
          less(writing, before.writing),
          less(waiting, before.waiting),
          idle - before.idle,
          wall - before.wall};
}

}  // namespace octavo
