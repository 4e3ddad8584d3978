// SPDX-License-Identifier: Apache-2.0
// How an agent gets a link with another of its program's agents: one of the two listens, and the other calls (link_ways.hpp). What each needs to know of the
// other goes by the hub (siblings.hpp).
//
// Threading: called by the agent's thread; what is told is told by any. Failure: told, as a text that says why.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "octavo/base/no_copy.hpp"
#include "octavo/road/steady_link.hpp"

namespace octavo::agent {

class SiblingWays : NoCopy {
 public:
  virtual ~SiblingWays() = default;
  struct Place {
    std::string address;  // as road::dial() takes it
    road::Session session;
  };
  using Ready = std::function<void(const Place& place, const std::string& why_none)>;
  // Once. With `why_none` it is a link that nobody may use: it is let go of on another thread than the one that tells.
  using Came = std::function<void(std::unique_ptr<road::Link> link, const std::string& why_none)>;
  // Listens for one caller: `ready` is told where; `came`, when it has called.
  virtual void invite(Ready ready, Came came) = 0;
  // Calls, for as long as makes sense.
  virtual void call(const Place& place, Came came) = 0;
};

}  // namespace octavo::agent
