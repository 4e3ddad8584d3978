// SPDX-License-Identifier: Apache-2.0
// Eight bytes, and pages, through two channels: to an object that echoes, and back.
#pragma once

#include <cstddef>
#include <memory>
#include <octavo/data/page.hpp>
#include <octavo/message.hpp>

#include "kit/pinned.hpp"

namespace bench {

class ChannelEcho : There {
 public:
  void run(octavo::ChannelReader<long> in, octavo::ChannelWriter<long> out) {
    for (long number = 0; in.retrieve(number);) out.post(number);
  }
  void run_pages(octavo::ChannelReader<octavo::Page> in, octavo::ChannelWriter<octavo::Page> out) {
    for (octavo::Page page; in.retrieve(page);) out.post(std::move(page));
  }
  long sum(octavo::ChannelReader<long> in) {
    long sum = 0;
    for (long number = 0; in.retrieve(number);) sum += number;
    return sum;
  }
};
OCTAVO_REMOTE(ChannelEcho, run, run_pages, sum)

class Channels {
 public:
  explicit Channels(const octavo::Place& place) : echo_(place.make<ChannelEcho>()) {}
  [[nodiscard]] double half_trip() const;                   // seconds
  [[nodiscard]] double half_trip(std::size_t bytes) const;  // of a page
  [[nodiscard]] double one_way() const;                     // seconds a message, one behind the other

 private:
  octavo::remote_ptr<ChannelEcho> echo_;
};

double channel_half_trip_between_threads();

}  // namespace bench
