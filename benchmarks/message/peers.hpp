// SPDX-License-Identifier: Apache-2.0
// The libraries that the rows of message.cpp are compared with, as far as they are installed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kit/peer.hpp"

namespace bench {

class Peers {
 public:
  // FastFlow's headers, if they are given.
  explicit Peers(const std::optional<std::string>& fastflow);

  // What measures a figure of `who`, times `scale`.
  [[nodiscard]] std::function<double()> figure(const std::string& who, const std::string& what, std::size_t bytes, long count, double scale = 1) const;
  // Those that are two processes are of no use any more when the rows of many begin: they end here.
  void stop() const;

 private:
  std::map<std::string, std::unique_ptr<Peer>> peers_;
};

}  // namespace bench
