// SPDX-License-Identifier: Apache-2.0
#include "process/serve/lent_reading.hpp"

#include <utility>

namespace octavo::detail {

// Reads as the road's own, and says when nothing of it is left there.
class LentReading::Bulk final : public wire::PendingBulk {
 public:
  Bulk(wire::PendingBulk& from, LentReading& lent) : PendingBulk(sizes_of(from)), from_(from), lent_(lent) {}
  void read(ByteSpan into) override {
    from_.read(into);
    sizes_ = sizes_of(from_);
    if (!lent_.lent_ && from_.left() == 0) lent_.begin();
  }

 private:
  // The next part, and the others together.
  static std::vector<std::uint64_t> sizes_of(const wire::PendingBulk& from) { return {from.next_size(), from.left() - from.next_size()}; }
  wire::PendingBulk& from_;
  LentReading& lent_;
};

LentReading::LentReading(Waiters& waiters, wire::Message& call) : waiters_(waiters) {
  if (!call.pending_bulk || call.pending_bulk->left() == 0) {
    begin();
    return;
  }
  call_ = &call;
  its_bulk_ = std::move(call.pending_bulk);
  call.pending_bulk = std::make_shared<Bulk>(*its_bulk_, *this);
}

LentReading::~LentReading() {
  if (lent_) waiters_.take_back();
  if (call_ != nullptr && call_->pending_bulk) call_->pending_bulk = std::move(its_bulk_);
}

}  // namespace octavo::detail
