// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <cerrno>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::road::net {

// `operation`: EPOLL_CTL_ADD or EPOLL_CTL_MOD. Throws io_error.
inline void watch(const Fd& poll, int operation, int descriptor, std::uint32_t events, void* tag = nullptr) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = tag;
  if (::epoll_ctl(poll.get(), operation, descriptor, &event) != 0) throw io_error_from(errno, "watching a descriptor");
}

}  // namespace octavo::road::net
