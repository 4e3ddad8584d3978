// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/common/memory_meter.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace octavo::agent {

std::int64_t anonymous_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      std::int64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  return 0;
}

void MemoryMeter::sample(std::int64_t pool_bytes, std::int64_t ring_bytes, const std::vector<Process>& processes) {
  std::int64_t sum = pool_bytes;
  for (const auto& each : processes) {
    const auto bytes = each.pid != 0 ? anonymous_(each.pid) : 0;
    sum += bytes + static_cast<std::int64_t>(each.connections) * ring_bytes;  // each connection has two rings and two ends
    if (each.is_program) peak_program_.store(std::max(peak_program_.load(), bytes));
  }
  peak_.store(std::max(peak_.load(), sum));
}

}  // namespace octavo::agent
