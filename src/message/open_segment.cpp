// SPDX-License-Identifier: Apache-2.0
#include "message/open_segment.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/no_copy.hpp"

namespace octavo::detail {

namespace {

// False: its last user has let go of it since the agent looked.
bool shared(Pool& pool, const wire::PageRef& page) {
  delay_point("segment: about to be shared");
  try {
    pool.share(page);
  } catch (const io_error&) {
    return false;
  }
  return true;
}

// The page that this process offers to the agent as the segment of the name; released where another process's is.
class Offered : NoCopy {
 public:
  explicit Offered(Pool& pool) : pool_(pool) {}
  ~Offered() {
    if (page_) pool_.release(*page_);
  }
  void set(const wire::PageRef& page) { page_ = page; }
  [[nodiscard]] bool is(const wire::PageRef& page) const { return page_ && page_->offset == page.offset && page_->generation == page.generation; }
  void keep() { page_.reset(); }

 private:
  Pool& pool_;
  std::optional<wire::PageRef> page_;
};

}  // namespace

wire::PageRef open_segment(Pool& pool, control::OpenSegment request, const MakeSegment& make, const AskForSegment& ask) {
  Offered offered(pool);
  for (;;) {
    const auto found = ask(request);
    if (!found) {  // so nothing was offered yet
      request.offered = make();
      offered.set(*request.offered);
    } else if (offered.is(*found)) {
      offered.keep();
      return *found;
    } else if (shared(pool, *found)) {
      return *found;
    }
  }
}

}  // namespace octavo::detail
