// SPDX-License-Identifier: Apache-2.0
#include "distributed/exchange.hpp"

#include <algorithm>
#include <optional>

namespace octavo::detail {

namespace {

constexpr std::int64_t worth_a_page = 4 << 10, worth_lending = 64 << 10, most_in_a_piece = 8 << 20;  // bytes

// Either the sender's whole page, from which the receiver copies what is for it, or a piece of that, packed.
struct Delivery {
  bool whole = false;
  Page page;
};

// In the pool: then it is moved to a member of this machine, and a link sends it from where it lies.
Page page_for(std::int64_t bytes) {
  if (bytes >= worth_a_page)
    if (auto page = Page::try_make(bytes)) return std::move(*page);
  return Page::make_private(bytes);
}

bool are_near(const Membership& group, std::uint32_t peer) {
  const auto& members = group.of().members;
  return members[peer].agent == members[group.index()].agent;
}

// What goes to one peer: a delivery at each step.
class Sending {
 public:
  Sending(Collective& c, std::uint32_t to, const Transfer& what, const Memory& from, std::int64_t item)
      : c_(c),
        to_(to),
        walk_(what.strips, &Overlap::from, from.data, from.wide, item),
        left_(what.bytes),
        near_(are_near(c.membership(), to)),
        lent_(from.page != nullptr && left_ >= worth_lending && near_ ? from.page : nullptr) {}
  [[nodiscard]] bool lends() const noexcept { return lent_ != nullptr; }
  void step() {
    if (left_ == 0) return;
    Delivery next;
    if (lent_ != nullptr) {
      next = {true, *lent_};
      left_ = 0;
    } else {
      const auto bytes = std::min(left_, most_in_a_piece);
      next.page = page_for(bytes);
      pack(walk_, {next.page.mutable_data(), static_cast<std::size_t>(bytes)});
      left_ -= bytes;
    }
    c_.send(to_, next, true);
  }
  [[nodiscard]] bool done() const noexcept { return left_ == 0; }

 private:
  Collective& c_;
  std::uint32_t to_;
  Walk walk_;
  std::int64_t left_;
  bool near_;
  const Page* lent_;
};

class Receiving {
 public:
  Receiving(Collective& c, std::uint32_t from, const Transfer& what, const Memory& to, std::int64_t item)
      : c_(c), from_(from), what_(what), walk_(what.strips, &Overlap::to, to.data, to.wide, item), left_(what.bytes), item_(item) {}
  // The page that was lent, which is in use until that is said.
  std::optional<Page> step() {
    if (left_ == 0) return std::nullopt;
    auto came = c_.receive<Delivery>(from_);
    if (came.whole) {
      check(came.page.size(), what_.wide.count() * item_);
      Walk theirs(what_.strips, &Overlap::from, const_cast<std::byte*>(came.page.data()), what_.wide, item_);
      copy(theirs, walk_);
      left_ = 0;
      return std::move(came.page);
    }
    const auto bytes = std::min(left_, most_in_a_piece);
    check(came.page.size(), bytes);
    unpack({came.page.data(), static_cast<std::size_t>(bytes)}, walk_);
    left_ -= bytes;
    return std::nullopt;
  }
  [[nodiscard]] bool done() const noexcept { return left_ == 0; }

 private:
  void check(std::int64_t bytes, std::int64_t wanted) const {
    if (bytes < wanted)
      throw io_error("member " + std::to_string(from_) + " sent " + std::to_string(bytes) + " bytes of its part, and " + std::to_string(wanted) +
                     " were expected");
  }
  Collective& c_;
  std::uint32_t from_;
  const Transfer& what_;
  Walk walk_;
  std::int64_t left_, item_;
};

}  // namespace

void Exchange::add(std::uint32_t peer, Strips to_peer, Strips from_peer, const Shape& wide, std::int64_t item_bytes) {
  item = item_bytes;
  const auto out = count_of(to_peer) * item, in = count_of(from_peer) * item;
  if (out != 0) sent[peer] = {std::move(to_peer), out, wide};
  if (in != 0) received[peer] = {std::move(from_peer), in, wide};
}

// In turns, each time with other partners. What was lent is given back at the end: a word that it is no longer read must not overtake what else comes.
void exchange(Collective& c, const Exchange& plan, const Memory& from, const Memory& to) {
  const auto n = c.membership().size(), me = c.membership().index();
  if (const auto own = plan.received.find(me); own != plan.received.end()) {
    Walk source(own->second.strips, &Overlap::from, from.data, from.wide, plan.item), target(own->second.strips, &Overlap::to, to.data, to.wide, plan.item);
    copy(source, target);
  }
  std::vector<std::uint32_t> lent_to;
  std::map<std::uint32_t, Page> borrowed;
  for (std::uint32_t step = 1; step < n; ++step) {
    const auto out = plan.sent.find((me + step) % n);
    const auto in = plan.received.find((me + n - step) % n);
    std::optional<Sending> sending;
    std::optional<Receiving> receiving;
    if (out != plan.sent.end()) sending.emplace(c, out->first, out->second, from, plan.item);
    if (in != plan.received.end()) receiving.emplace(c, in->first, in->second, to, plan.item);
    if (sending && sending->lends()) lent_to.push_back(out->first);
    while ((sending && !sending->done()) || (receiving && !receiving->done())) {
      if (sending) sending->step();
      if (receiving)
        if (auto page = receiving->step()) borrowed.emplace(in->first, std::move(*page));
    }
  }
  bool read = true;
  for (const auto& [peer, page] : borrowed) c.send(peer, read);
  for (const auto peer : lent_to) c.receive<bool>(peer);
}

}  // namespace octavo::detail
