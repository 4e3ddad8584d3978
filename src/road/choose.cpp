// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/choose.hpp"

namespace octavo::road {

road_kind choose_road(const Whereabouts& first, const Whereabouts& second) noexcept {
  if (first.agent != second.agent) return road_kind::net;
  return first.pid == second.pid ? road_kind::thread : road_kind::shm;
}

std::string_view to_string(road_kind kind) noexcept {
  switch (kind) {
    case road_kind::thread: return "thread";
    case road_kind::shm: return "shm";
    case road_kind::net: return "net";
  }
  return "?";
}

std::string_view reason_for(road_kind kind) noexcept {
  switch (kind) {
    case road_kind::thread: return "both live in one process";
    case road_kind::shm: return "two processes of one machine";
    case road_kind::net: return "on two machines";
  }
  return "?";
}

}  // namespace octavo::road
