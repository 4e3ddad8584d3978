// SPDX-License-Identifier: Apache-2.0
// Calls to an object on another machine: all of the way, from process to process, through the agents and the link between them.
#pragma once

#include <memory>
#include <octavo/data/page.hpp>
#include <octavo/process.hpp>

#include "kit/two_hosts.hpp"

namespace bench {

class Receiver {
 public:
  int add(int n) { return sum_ += n; }
  void take(const octavo::Page& page) { bytes_ += static_cast<long>(page.size()); }
  long taken() const { return bytes_; }

 private:
  int sum_ = 0;
  long bytes_ = 0;
};
OCTAVO_REMOTE(Receiver, add, take, taken)

// Two hosts and a Runtime on the first, whose object lives on the second. Make it, and measure, on one thread that is on the first host.
class Machines {
 public:
  explicit Machines(const octavo::kit::TwoHosts& hosts);
  ~Machines();
  double round_trip() const;  // of a call, in seconds
  double bytes_per_second(std::size_t page_bytes) const;

 private:
  std::unique_ptr<octavo::Runtime> runtime_;
  octavo::remote_ptr<Receiver> there_;
};

}  // namespace bench
