// SPDX-License-Identifier: Apache-2.0
// What can be said of a stage or farm, besides what it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/process/place.hpp"

namespace octavo {

// Of what lies between two stages: whichever is reached first.
struct StreamBound {
  std::uint64_t items = 1024, bytes = std::uint64_t{64} << 20;
};

namespace stream {

struct StageSettings {
  std::string name = {};
  std::size_t workers = 1;  // 0: as many as cores
  std::vector<Place> places = {};
  bool ordered = true;
  StreamBound bound = {};  // of what lies before it
  bool unbounded = false;  // in items
  bool redo = false;       // what a worker that died had
  bool stateless = false;  // so that another one may do it
};

[[nodiscard]] std::size_t workers_of(const StageSettings& settings);
// The place of a worker, dealt in turn; none said: a thread.
[[nodiscard]] Place place_of(const StageSettings& settings, std::size_t worker);
[[nodiscard]] std::string text_of(const Place& place);
// Throws usage_error.
[[nodiscard]] StreamBound checked(const StreamBound& bound);
[[nodiscard]] std::size_t checked_workers(std::size_t workers);
[[nodiscard]] bool redoes(std::string_view on_death);
// What unbounded stages and feedback may take, if nothing is said: a quarter of the memory that there is, as the pool.
[[nodiscard]] std::uint64_t memory_for_streams();

}  // namespace stream
}  // namespace octavo
