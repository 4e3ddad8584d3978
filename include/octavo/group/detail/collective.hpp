// SPDX-License-Identifier: Apache-2.0
// One collective operation at one member: its group messages, and what becomes of it when it fails.
//
//   return in_collective(membership, "broadcast of double", spacing::bounded, [&](Collective& c) { ... c.send(1, x); ... c.receive<double>(0); });
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <optional>

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
  static constexpr std::size_t most_shared = 48;  // bytes
  // Gives these bytes to all, and gets theirs, by memory that all members share. False, at all of them: there is none, or a member gives nothing (null). It
  // is called by all members that are in this collective, or by none.
  bool share(const std::optional<ByteView>& gives);
  // Theirs, once all have shared.
  template <class E>
  [[nodiscard]] E shared_by(std::uint32_t member, std::size_t index = 0) const {
    E value{};
    const auto bytes = shared_bytes(member);
    std::memcpy(&value, bytes.data() + index * sizeof(E), sizeof(E));
    return value;
  }
  // Tells the others why it fails for them too.
  void fail(const std::exception_ptr& error) noexcept;

  [[nodiscard]] Membership& membership() noexcept { return of_; }
  [[nodiscard]] const GroupMessageKey& key() const noexcept { return mine_; }
  [[nodiscard]] const Tree& tree(std::uint32_t root) { return of_.tree(root); }

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
  wire::Message take(std::uint32_t from, const std::function<bool()>& came = {});
  void await_all_on_board(Board& board);
  void wake_on_board(const Board& board);
  [[nodiscard]] std::array<std::byte, most_shared> shared_bytes(std::uint32_t member) const;
  Membership& of_;
  std::string text_;
  GroupMessageKey mine_;
  std::exception_ptr earlier_;  // that this one must tell of
  std::uint64_t shares_ = 0;
  bool failed_ = false, everybody_knows_ = false, lagged_ = false, leaves_late_ = false;
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
