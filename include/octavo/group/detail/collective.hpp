// SPDX-License-Identifier: Apache-2.0
// One collective operation at one member: its group messages, and what becomes of it when it fails.
//
//   return in_collective(membership, "broadcast of double", spacing::bounded, [&](Collective& c) { ... c.send(1, x); ... c.receive<double>(0); });
#pragma once

#include <functional>
#include <iterator>

#include "octavo/group/detail/membership.hpp"
#include "octavo/group/detail/partials.hpp"

namespace octavo::detail {

// Whether nobody leaves before all have come. Of those where some may, each 16th waits for all: so a fast member is at most that far
// ahead, and what lies unread with a slow one is bounded.
enum class spacing : std::uint8_t { together, bounded };

class Collective : NoCopy {
 public:
  Collective(Membership& of, std::string text);
  ~Collective();

  void begin(spacing how);
  // Everybody has come when it returns.
  void meet();
  // Tells the others why it fails for them too.
  void fail(const std::exception_ptr& error) noexcept;

  [[nodiscard]] Membership& membership() noexcept { return of_; }
  [[nodiscard]] const Membership& membership() const noexcept { return of_; }
  [[nodiscard]] const GroupMessageKey& key() const noexcept { return mine_; }
  [[nodiscard]] const Tree& tree(std::uint32_t root) { return of_.tree(root); }
  // Whether each sends to those 1, 2, 4, ... places further, not along a tree: few on one machine, as it takes more connections.
  [[nodiscard]] bool goes_round() const noexcept { return of_.is_on_one_machine() && of_.size() <= 16; }

  // `give`: the value is not used any more here, so that its pages move.
  template <class V>
  void send(std::uint32_t to, V& value, bool give = false) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(text_);
    encoder.giving = give;
    encoder(value);
    post(to, out);
  }
  template <class V>
  V receive(std::uint32_t from) {
    auto message = take(from);
    wire::Decoder in(message);
    std::string text;
    V value{};
    in(text);
    in(value);
    return value;
  }

 private:
  void post(std::uint32_t to, wire::Outgoing& out);
  wire::Message take(std::uint32_t from);
  Membership& of_;
  std::string text_;
  GroupMessageKey mine_;
  std::exception_ptr earlier_;  // that this one must tell of
  bool failed_ = false, everybody_knows_ = false;
};

template <class Work>
auto in_collective(Membership& of, std::string text, spacing how, Work work) {
  Collective one(of, std::move(text));
  try {
    one.begin(how);
    return work(one);
  } catch (...) {
    one.fail(std::current_exception());
    throw;
  }
}

// --- the sweeps that collectives are made of ---

template <class V>
V send_down(Collective& c, const Tree& tree, V value) {
  if (tree.parent) value = c.receive<V>(*tree.parent);
  for (auto at = tree.branches.rbegin(); at != tree.branches.rend(); ++at) c.send(at->child, value);
  return value;
}

// Values by the index of their members.
template <class V>
using Bundle = std::map<std::uint32_t, V>;

template <class V>
Bundle<V> gather_up(Collective& c, const Tree& tree, V mine) {
  Bundle<V> all;
  all.emplace(c.membership().index(), std::move(mine));
  for (const auto& branch : tree.branches) all.merge(c.receive<Bundle<V>>(branch.child));
  if (tree.parent) c.send(*tree.parent, all, true);
  return all;
}

template <class V>
V scatter_down(Collective& c, const Tree& tree, Bundle<V> all) {
  if (tree.parent) all = c.receive<Bundle<V>>(*tree.parent);
  for (auto at = tree.branches.rbegin(); at != tree.branches.rend(); ++at) {
    Bundle<V> part;
    for (auto member : at->members) part.insert(all.extract(member));
    c.send(at->child, part, true);
  }
  return std::move(all.at(c.membership().index()));
}

// All values by index, at each member. Where it goes round each member sends all it has, so that they are everywhere after log2 n messages (Bruck), half of what a
// tree takes up and down. Between machines by the tree, so that a value goes once each way.
template <class V>
std::vector<V> gather_at_all(Collective& c, V mine) {
  const auto n = c.membership().size(), me = c.membership().index();
  if (!c.goes_round()) {
    std::vector<V> all;
    for (auto& [index, value] : gather_up(c, c.tree(0), std::move(mine))) all.push_back(std::move(value));
    return send_down(c, c.tree(0), std::move(all));
  }
  std::vector<V> behind;  // of this member, and of those 1, 2, ... places before it
  behind.reserve(n);
  behind.push_back(std::move(mine));
  for (std::uint32_t step = 1; step < n; step *= 2) {
    const std::size_t count = std::min(step, n - step);
    std::vector<V> some(behind.begin(), behind.begin() + static_cast<std::ptrdiff_t>(count));
    c.send((me + step) % n, some, true);
    auto came = c.receive<std::vector<V>>((me + n - step) % n);
    if (came.size() != count) throw io_error("a collective got " + std::to_string(came.size()) + " values where " + std::to_string(count) + " were due");
    std::move(came.begin(), came.end(), std::back_inserter(behind));
  }
  std::vector<V> all;
  all.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) all.push_back(std::move(behind[(me + n - i) % n]));
  return all;
}

// Whether each member had better have all values and join them itself than wait for a tree that does so, up and down. The operation must throw nothing, or the
// same everywhere (G-8).
[[nodiscard]] inline bool joins_everywhere(const Collective& c, std::size_t bytes) noexcept { return bytes <= 1024 && c.goes_round(); }
template <class Op>
inline constexpr bool throws_nothing = false;
template <class E>
inline constexpr bool throws_nothing<std::plus<E>> = true;
template <class E>
inline constexpr bool throws_nothing<std::multiplies<E>> = true;
template <class V, class Join>
V join_all(std::vector<V> values, Join& join) {
  V all = std::move(values.front());
  for (std::size_t i = 1; i < values.size(); ++i) all = join(std::move(all), std::move(values[i]));
  return all;
}

// The value of all, at the root.
template <class V, class Join>
std::optional<V> reduce_up(Collective& c, const Tree& tree, V mine, Join& join) {
  Partials<V, Join> partials(join);
  std::uint32_t me = c.membership().index();
  partials.add({me, me + 1, std::move(mine)});
  for (const auto& branch : tree.branches)
    for (auto& each : c.receive<std::vector<Partial<V>>>(branch.child)) partials.add(std::move(each));
  if (!tree.parent) return std::move(partials.list().front().value);
  c.send(*tree.parent, partials.list(), true);
  return std::nullopt;
}

}  // namespace octavo::detail
