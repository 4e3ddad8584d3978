// SPDX-License-Identifier: Apache-2.0
// The pages of what comes by a shm connection: by reference within the frame, where both ends have one pool; beside the bytes, from a relay; or by value, and
// then they are received into pages of this process's pool.
//
//   if (pages.take_next(bell, most)) ...           // a page, or some of one; else at most `most` bytes come before the next
//   pages.accept(message);                         // which came whole
//
// Threading: the one that receives. Failure: io_error at a page that is not what was announced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/wire/frame.hpp"
#include "road/shm/page_in.hpp"
#include "road/shm/rings.hpp"

namespace octavo::road {

class ArrivingPages {
 public:
  // Null: there are none, or they stay bulk.
  struct By {
    wire::PageKeeper* reference = nullptr;
    wire::SharedPages *relay = nullptr, *value = nullptr;
    [[nodiscard]] bool is_for_frames() const noexcept { return relay == nullptr && value == nullptr; }
  };
  // `way_in`: of pages that this process is given.
  ArrivingPages(const By& by, std::uint32_t way_in, ShmRings& rings, wire::FrameDecoder& decoder)
      : by_(by), way_in_(way_in), rings_(rings), decoder_(decoder) {}
  ~ArrivingPages();
  ArrivingPages(const ArrivingPages&) = delete;
  ArrivingPages& operator=(const ArrivingPages&) = delete;

  // At this place of the stream, beside it.
  [[nodiscard]] bool is_next() const;
  bool take_next(const Doorbell& peer, std::size_t& bytes_before);
  void accept(wire::Message& message);

 private:
  bool take_from_relay(const Doorbell& peer, std::size_t& bytes_before);
  bool copy_some(const Doorbell& peer);
  void refuse_foreign(wire::Message& message) const;
  void accept_references(wire::Message& message);

  const By by_;
  const std::uint32_t way_in_;
  ShmRings& rings_;
  wire::FrameDecoder& decoder_;
  std::vector<wire::PageRef> taken_;  // for the frame that has not come whole
  PageIn coming_;                     // by value
};

}  // namespace octavo::road
