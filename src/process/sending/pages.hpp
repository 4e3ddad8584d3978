// SPDX-License-Identifier: Apache-2.0
// How the pages of a frame travel: by reference between processes that share a pool; else as bulk behind the other bulk, one part for each
// page. The relays between take them from pool to pool (road/net/page_transit.hpp); what comes by value all the same is made a page here.
//
//   pages_leave(pool, out, link.route);
//   try { connection.send(out, on_full); pages_left(pool, out, link.route); } catch (const gone_error&) { pages_stay(pool, out, link.route); throw; }
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

// Before the frame is sealed and sent: they are the connection's from now on. Throws io_error; then they are released. Throws not_supported for those of a
// segment that would go by value; then they are the frame's as before. `to`: whom the error names; null: the caller of what is answered.
void pages_leave(Pool& pool, wire::Outgoing& out, const std::optional<wire::PageRoute>& route, const ProcessFacts* to = nullptr);
// The frame was sent.
void pages_left(Pool& pool, const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept;
// The frame cannot be sent: they are released.
void pages_stay(Pool& pool, const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept;
// The frame was not sent, and goes another way. False: they are gone, as the receiver is.
[[nodiscard]] bool pages_come_back(Pool& pool, wire::Outgoing& out, const wire::PageRoute& route) noexcept;
// Before the frame is decoded. Waits for room in the pool, as whoever makes a page does. Throws io_error.
void adopt_pages(Pool& pool, wire::Message& message);

// A call that may be sent again, to the next life of an object with a name, has its pages until then.
class PagesForResend : NoCopy {
 public:
  PagesForResend(Pool& pool, const wire::Outgoing& out, bool keep);
  ~PagesForResend();

 private:
  Pool& pool_;
  std::vector<wire::PageRef> pages_;
};

}  // namespace octavo::detail
