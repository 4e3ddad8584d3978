// SPDX-License-Identifier: Apache-2.0
// What a kind of link between machines is to those who use them by an address (kinds/link_kinds.hpp, LK-1 to LK-6): a scheme, and how to listen and dial.
//
//   inline constexpr LinkKind kind{"tls", &listen_at, &dial_to};      // tls/kind.hpp
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/road/tls_link.hpp"
#include "road/net/running_command.hpp"

namespace octavo::road {

struct LinkTerms {
  std::chrono::milliseconds silence{20'000};                                      // after which a connection of which nothing is heard counts as broken
  std::string machine = {};                                                       // what who dials is called by the program: how others log in there
  std::function<RunningCommand(const std::vector<std::string>& words)> run = {};  // of a kind that needs commands of its own (takes_command)
};

class LinkListener {
 public:
  virtual ~LinkListener() = default;
  [[nodiscard]] virtual std::string address() const = 0;
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual std::vector<std::unique_ptr<Link>> take() = 0;  // without waiting
  // Of a kind whose bytes go by the command that runs the agent (LK-5): its standard output and input. take() then gives the link.
  virtual void bring(Fd from, Fd to);
};

// `where` is what follows the scheme.
struct LinkKind {
  std::string_view scheme;
  std::unique_ptr<LinkListener> (*listen)(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
  std::unique_ptr<Link> (*dial)(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);
  bool needs_address = true;                   // of this machine: `where` is that; else what an engine's `link` says behind its colon
  bool by_command = false;                     // LK-5
  bool takes_command = false;                  // LK-6
  std::chrono::milliseconds least_silence{0};  // L-15
};

}  // namespace octavo::road
