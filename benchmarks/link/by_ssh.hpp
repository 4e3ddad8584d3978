// SPDX-License-Identifier: Apache-2.0
// The link over the standard input and output of an ssh that has logged in on this host, and what ssh by itself does with the same bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kit/engines/surroundings.hpp"
#include "link/far_end.hpp"

namespace bench {

// This program as the other end: it never returns where it was told to be.
void be_far_end_if_asked(int argc, char** argv);

class BySsh {
 public:
  [[nodiscard]] NearEnd link() const;                             // another login each time
  [[nodiscard]] double half_trip_alone(std::size_t bytes) const;  // through `ssh cat`
  [[nodiscard]] double bytes_per_second_alone(std::size_t bytes) const;

 private:
  octavo::kit::Sshd sshd_;
};

}  // namespace bench
