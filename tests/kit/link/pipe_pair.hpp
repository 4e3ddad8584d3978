// SPDX-License-Identifier: Apache-2.0
// Both ends of a link over what a command has for its standard input and output, within one program, which ignores SIGPIPE from then on.
//
//   auto [a, b] = kit::over_pipes();
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "kit/link/link_bytes.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"
#include "road/net/ssh/pipe_link.hpp"

namespace octavo::kit {

using TwoEnds = std::pair<std::unique_ptr<road::Link>, std::unique_ptr<road::Link>>;

// As a command has them for its standard input and output: pipes, or one socket for both.
inline TwoEnds over_pipes() {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT: as the processes do that use it on threads of their own
  auto [from_a, to_b] = pipe();
  auto [from_b, to_a] = pipe();
  return {road::ssh::open_pipe_link(std::move(from_b), std::move(to_b)), road::ssh::open_pipe_link(std::move(from_a), std::move(to_a))};
}
inline TwoEnds over_a_commands_socket() {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT
  auto [a, b] = socket_pair(SOCK_STREAM, "testing");
  auto twice = [](Fd one) {
    Fd two(::dup(one.get()));
    return road::ssh::open_pipe_link(std::move(one), std::move(two));
  };
  return {twice(std::move(a)), twice(std::move(b))};
}
// LK-5: the ends are brought to who listens, and who dials has them under the numbers of the address.
inline TwoEnds by_ssh_address() {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT
  auto [from_a, to_b] = pipe();
  auto [from_b, to_a] = pipe();
  const auto key = road::ClusterKey::make();
  const auto listener = road::listen("ssh://", key, {});
  listener->bring(std::move(from_b), std::move(to_b));
  auto links = listener->take();
  const std::string own = "ssh://" + std::to_string(from_a.get()) + "," + std::to_string(to_a.get());
  auto dialled = road::dial(own, key, road::never, {});
  EXPECT_THROW(static_cast<void>(road::dial(own, key, road::never, {})), refused) << "once";
  return {std::move(links.at(0)), std::move(dialled)};
}

}  // namespace octavo::kit
