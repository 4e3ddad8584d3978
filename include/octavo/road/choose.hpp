// SPDX-License-Identifier: Apache-2.0
// The one place that decides which road a pair of objects of one program takes. Users never choose. (Between processes of two programs on one machine it is
// shm, if their agents can pass it to each other, else net: src/machine/agent/requests.)
//
//   road_kind kind = choose_road(whereabouts_of_caller, whereabouts_of_callee);
//
// thread: both live in one program. shm: both on one machine. net: on two; the agents carry it. Pure computing.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo::road {

enum class road_kind : std::uint8_t { thread, shm, net };

struct Whereabouts {
  std::uint64_t agent = 0;  // one agent is one machine, or one share of it
  std::int64_t pid = 0;     // on that machine
};

road_kind choose_road(const Whereabouts& first, const Whereabouts& second) noexcept;
std::string_view to_string(road_kind kind) noexcept;
// In words: what was found of the two.
std::string_view reason_for(road_kind kind) noexcept;

}  // namespace octavo::road
