// SPDX-License-Identifier: Apache-2.0
// The other end of a link that is measured, in a process of its own: it takes so many bytes as it is told, and answers with so many.
//
//   serve_far_end(link);                       // there, until the link is lost
//   NearEnd near(std::move(link));             // here
//   near.half_trip(16), near.bytes_per_second(1 << 20);
#pragma once

#include <memory>
#include <octavo/road/link.hpp>

namespace bench {

void serve_far_end(octavo::road::Link& link);

class NearEnd {
 public:
  explicit NearEnd(std::unique_ptr<octavo::road::Link> link) : link_(std::move(link)) {}
  [[nodiscard]] double half_trip(std::size_t bytes, int trips = 2000) const;  // in seconds
  [[nodiscard]] double bytes_per_second(std::size_t bytes) const;

 private:
  void ask(std::size_t bytes, std::size_t answered) const;
  std::unique_ptr<octavo::road::Link> link_;
};

void send_all(octavo::road::Link& link, octavo::ByteView bytes);
void receive_all(octavo::road::Link& link, octavo::ByteSpan bytes);

}  // namespace bench
