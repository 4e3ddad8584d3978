// SPDX-License-Identifier: Apache-2.0
// One channel of a relay, and the batch of records that is on its way out.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/road/link.hpp"
#include "road/net/backlog.hpp"
#include "road/net/page_transit.hpp"
#include "road/net/record.hpp"
#include "road/shm/page_in.hpp"
#include "road/shm/rings.hpp"

namespace octavo::road::net {

inline constexpr std::size_t most_ring_bytes = 64 << 10;  // of one data record

// A channel is made by open() here or by the first record from there. It is `over` when this side's process is gone, closed or has been
// given everything after the other side's end. What the process had written is sent, then `end`; when both sides' `end` records
// have passed it is forgotten.
struct Channel {
  Channel(std::uint64_t its_number, std::uint64_t window) : number(its_number), may_come(window) {}

  std::uint64_t number;
  std::unique_ptr<ShmRings> rings;  // from open() until all of it is sent
  std::optional<Doorbell> process;
  wire::PageRoute route;       // of pages to the process
  std::uint32_t way_in = 0;    // and of its pages
  Backlog backlog;             // came, and finds no room in the ring
  std::uint64_t may_send = 0;  // so many bytes the other side lets us send
  std::uint64_t may_come = 0;  // so many we let it send
  std::uint64_t owed = 0;      // taken from it, and not yet told
  std::uint64_t last = 0;      // once over: so many bytes of the process are still to be sent
  std::size_t under_way = 0;   // of the ring, in the batch
  PageOut page_out;            // goes, instead of bytes of the ring
  PageIn page_in;              // comes
  std::uint64_t granted = 0;   // so many bytes of the page that comes were credited before they came
  bool opened = false, over = false, end_sent = false, end_received = false;
  bool written = false;        // to the ring, and not yet published
  bool socket_ended = false;   // told by epoll
  bool broken = false;         // what it sent made no sense
  bool reads_no_more = false;  // the process; it had ended before we did

  // How many of the process's bytes may be sent now. Only while nothing of it is under way.
  [[nodiscard]] std::size_t sendable() const {
    if (!rings || end_received || may_send == 0) return 0;
    if (page_out.left() != 0) return static_cast<std::size_t>(std::min<std::uint64_t>({page_out.left(), may_send, most_data_bytes}));
    std::uint64_t here = over ? last : rings->in.available();  // loaded first: then the descriptor of a page that stands before these bytes is visible
    if (auto next = rings->pages_in.next()) here = std::min(here, next->position - rings->in.position());
    return static_cast<std::size_t>(std::min<std::uint64_t>({here, may_send, most_ring_bytes}));
  }
  // Whether it goes next, behind what is under way.
  [[nodiscard]] bool page_is_next() const {
    if (!rings || broken || end_received || end_sent || page_out.left() != 0) return false;
    auto next = rings->pages_in.next();
    return next && next->position == rings->in.position() + under_way;
  }
  [[nodiscard]] bool must_end() const { return over && !end_sent && (end_received || (last == 0 && page_out.left() == 0 && !page_is_next())); }
  // Nothing goes or comes for it any more.
  void drop_pages(wire::SharedPages* pages) {
    page_in.drop();
    page_out.drop();
    if (pages == nullptr || !rings) return;
    rings->pages_in.close();
    pages->close_way(way_in);
    if (reads_no_more || rings->others_end_is_closed()) pages->close_way(route.way);  // what came there after the process was reaped
  }
  // What has come lies visibly in the ring.
  void publish() {
    written = false;
    rings->out.publish();
    process->ring();
  }
};

// The channel in whose ring, or page, a piece that is on its way lies.
struct Source {
  Channel* channel = nullptr;
  bool page = false;
};

// What one agent says to the other, and what goes with it.
struct Control {
  std::vector<std::byte> bytes;
  std::vector<Fd> descriptors;
};

// Up to most_records records, sent by one call for each time the link has room. Data are sent from where they lie in the ring.
class Batch {
 public:
  static constexpr std::size_t most_records = 64;
  [[nodiscard]] bool empty() const noexcept { return next_ == pieces_; }
  [[nodiscard]] bool full() const noexcept { return records_ == most_records || bytes_ >= most_bytes; }

  void add(record_kind kind, std::uint64_t channel, ByteView small = {});
  // One with descriptors goes at the front: false, if there is something already.
  [[nodiscard]] bool add_control(Control& control);
  void add_data(Channel& channel, std::size_t bytes);
  // What the link takes now. True: all is gone, the batch can be filled again.
  bool send(Link& link);
  void drop();

 private:
  static constexpr std::size_t most_bytes = 512 << 10;
  struct Head {
    RecordHeader header;
    std::array<std::byte, 16> small;
  };
  void put(ByteView piece, Source from = {});
  std::size_t send_some(Link& link);
  void sent(std::size_t piece, std::size_t bytes);
  void clear();

  std::array<Head, most_records> heads_;
  std::array<ByteView, most_records * 3> views_;
  std::array<Source, most_records * 3> from_;
  std::array<Link::Owner, most_records * 3> owners_;  // of pages
  std::vector<std::vector<std::byte>> controls_;
  std::vector<Fd> descriptors_;  // with the first piece
  std::size_t records_ = 0, pieces_ = 0, next_ = 0, bytes_ = 0;
};

}  // namespace octavo::road::net
