// SPDX-License-Identifier: Apache-2.0
// How the pages of a frame travel: by reference between processes that share a pool; else as bulk behind the other bulk, one part for each
// page. The relays between take them from pool to pool (road/net/page_transit.hpp); what comes by value all the same is made a page here.
//
//   PagesUnderWay pages(pool, out, link.route, keeps::no, &link.facts);    // before the frame is sealed and sent: they are the connection's from now on
//   try { connection.send(out, on_full); } catch (const gone_error&) { pages.take_back(); throw; }
//
// Threading: any. `route`: none where pages go by value.
#pragma once

#include <optional>
#include <vector>

#include "octavo/base/no_copy.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// Of one frame, while it is sent. When this ends they have left: those that went by value are released.
class PagesUnderWay : NoCopy {
 public:
  // May the frame be sent again, to the next life of an object with a name? Then its pages are kept until this ends.
  enum class keeps : bool { no, yes };
  // Throws io_error; then they are released. Throws not_supported for those of a segment that would go by value; then they are the frame's as before.
  // `to`: whom the error names; null: the caller of what is answered.
  PagesUnderWay(Pool& pool, wire::Outgoing& out, const std::optional<wire::PageRoute>& route, keeps keep = keeps::no, const ProcessFacts* to = nullptr);
  ~PagesUnderWay();

  // The frame cannot be sent this way: they are released, but for those that are kept.
  void take_back() noexcept;
  // After take_back(), where they are kept: the frame is sent again.
  void leave_again(const std::optional<wire::PageRoute>& route, const ProcessFacts& to);
  // The frame was not sent, and goes another way with its pages. False: they are gone, as the receiver is. They went by a route.
  [[nodiscard]] bool come_back() noexcept;

 private:
  void leave(const ProcessFacts* to);
  struct Kept : NoCopy {
    explicit Kept(Pool& of) : pool(of) {}
    ~Kept();
    Pool& pool;
    std::vector<wire::PageRef> pages;
  };

  Pool& pool_;
  wire::Outgoing& out_;
  std::optional<wire::PageRoute> route_;
  bool under_way_ = false;
  Kept kept_;
};

// Before the frame is decoded. Waits for room in the pool, as whoever makes a page does. Throws io_error.
void adopt_pages(Pool& pool, wire::Message& message);

}  // namespace octavo::detail
