// SPDX-License-Identifier: Apache-2.0
#include "distributed/calls.hpp"

#include <cstring>

#include "distributed/collectives.hpp"
#include "octavo/base/error.hpp"
#include "octavo/group/detail/built_in.hpp"

namespace octavo::detail::calls {

namespace {

std::shared_ptr<Membership> membership_of(std::uint64_t group) {
  auto in = membership_in(group);
  if (!in) raise_no_member(group);
  return in;
}

// What a call is about, at the member that is called.
struct Called {
  std::shared_ptr<Membership> in;
  std::shared_ptr<DistributedPart> part;
  explicit Called(wire::Decoder& from) {
    std::uint64_t group = 0, array = 0;
    from(group);
    from(array);
    in = membership_of(group);
    part = part_of(array);
  }
  [[nodiscard]] std::shared_ptr<DistributedPart> part_of(std::uint64_t array) const {
    auto found = parts_in(*in).find(array);
    if (!found)
      throw gone_error("a distributed array has ended at " + member_text(in->of(), in->index()), "Keep the array that the program made, or make it again");
    return found;
  }
};

template <class... A>
EncodeFor about(const DistributedFacts& facts, const A&... arguments) {
  return [&](wire::Encoder& out, std::uint32_t) {
    out(facts.group.id);
    out(facts.id);
    (out(arguments), ...);
  };
}
template <class T>
T value_in(wire::Decoder& from) {
  T value{};
  from(value);
  return value;
}
const HearFrom nothing = [](wire::Message&, std::uint32_t) {};
void answer_nothing(const Reply& reply) {
  reply.value([](wire::Encoder&) {});
}

// In the pool where it has room: then it is not copied on its way.
Page room_for(std::int64_t bytes) {
  auto page = Page::try_make(std::max<std::int64_t>(bytes, 1));
  return page ? std::move(*page) : Page::make_private(std::max<std::int64_t>(bytes, 1));
}
std::int64_t bytes_of(const DistributedFacts& facts) { return facts.shape.count() * size_of(facts.type); }

void run_make(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  auto facts = value_in<DistributedFacts>(in);
  const auto fill = value_in<Scalar>(in);
  auto membership = membership_of(facts.group.id);
  auto part = make_part(*membership, std::move(facts), fill);
  parts_in(*membership).add(part, true);
  reply.value([&](wire::Encoder& out) { out(part->facts()); });
}
void run_exchange_halo(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto how = value_in<boundary>(in);
  detail::exchange_halo(*at.in, *at.part, how, value_in<Scalar>(in));
  answer_nothing(reply);
}
void run_resplit(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  auto part = detail::resplit(*at.in, *at.part, value_in<Split>(in));
  parts_in(*at.in).add(part, true);
  reply.value([&](wire::Encoder& out) { out(part->facts()); });
}
void run_gather(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto root = value_in<std::uint32_t>(in);
  Page all;
  if (at.in->index() == root) all = room_for(bytes_of(at.part->facts()));
  detail::gather(*at.in, *at.part, root, all ? all.mutable_data() : nullptr);
  reply.value([&](wire::Encoder& out) { out(all); });
}
void run_reduce(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto result = detail::reduce(*at.in, *at.part, value_in<reduction>(in));
  reply.value([&](wire::Encoder& out) { out(result); });
}
void run_reduce_axis(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto how = value_in<reduction>(in);
  auto part = detail::reduce_axis(*at.in, *at.part, how, value_in<std::int32_t>(in));
  parts_in(*at.in).add(part, true);
  reply.value([&](wire::Encoder& out) { out(part->facts()); });
}
void run_combine(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto how = value_in<arithmetic>(in);
  std::vector<std::shared_ptr<DistributedPart>> used;
  auto term = [&] {
    Term found;
    in(found.array);
    in(found.number);
    if (found.array != 0) found.part = used.emplace_back(at.part_of(found.array)).get();
    return found;
  };
  const auto left = term(), right = term();
  combine_parts(*at.part, how, left, right);
  answer_nothing(reply);
}
void run_put(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  const auto packed = value_in<Page>(in);
  const auto bytes = count_of(at.part->own()) * at.part->item();
  if (packed.size() < bytes) throw io_error("the elements of " + member_text(at.in->of(), at.in->index()) + " came incomplete");
  Walk to(at.part->own(), &Overlap::to, at.part->data(), at.part->geometry().wide, at.part->item());
  unpack({packed.data(), static_cast<std::size_t>(bytes)}, to);
  answer_nothing(reply);
}
void run_read(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  read_part(*at.in, *at.part, value_in<Array>(in));
  answer_nothing(reply);
}
void run_write(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const Called at(in);
  write_part(*at.in, *at.part, value_in<Array>(in));
  answer_nothing(reply);
}
void run_let_go(Hosted&, wire::Message& message, const Reply& reply) {
  wire::Decoder in(message);
  const auto group = value_in<std::uint64_t>(in), array = value_in<std::uint64_t>(in);
  if (auto membership = membership_in(group)) parts_in(*membership).let_go(array);
  answer_nothing(reply);
}

const Method* const make_method = register_for_all("octavo::distributed::make", &run_make);
const Method* const exchange_halo_method = register_for_all("octavo::distributed::exchange_halo", &run_exchange_halo);
const Method* const resplit_method = register_for_all("octavo::distributed::resplit", &run_resplit);
const Method* const gather_method = register_for_all("octavo::distributed::gather", &run_gather);
const Method* const reduce_method = register_for_all("octavo::distributed::reduce", &run_reduce);
const Method* const reduce_axis_method = register_for_all("octavo::distributed::reduce_axis", &run_reduce_axis);
const Method* const combine_method = register_for_all("octavo::distributed::combine", &run_combine);
const Method* const put_method = register_for_all("octavo::distributed::put", &run_put);
const Method* const read_method = register_for_all("octavo::distributed::read", &run_read);
const Method* const write_method = register_for_all("octavo::distributed::write", &run_write);
const Method* const let_go_method = register_for_all("octavo::distributed::let_go", &run_let_go);

// The same at all members, of which the first is taken.
template <class T>
T first_answer(const DistributedFacts& facts, const Method& method, const EncodeFor& encode) {
  T first{};
  call_all(facts.group, method, encode, [&](wire::Message& answer, std::uint32_t index) {
    if (index != 0) return;
    wire::Decoder in(answer);
    in(first);
  });
  return first;
}

}  // namespace

DistributedFacts make(const DistributedFacts& facts, const Scalar& fill) {
  facts.split.check(facts.shape, facts.group.members.size());
  return first_answer<DistributedFacts>(facts, *make_method, [&](wire::Encoder& out, std::uint32_t) {
    out(facts);
    out(fill);
  });
}

void exchange_halo(const DistributedFacts& facts, boundary how, const Scalar& beyond) {
  check_boundary(facts.shape, facts.split.halo(), how);
  call_all(facts.group, *exchange_halo_method, about(facts, how, beyond), nothing);
}

DistributedFacts resplit(const DistributedFacts& facts, const Split& split) {
  split.check(facts.shape, facts.group.members.size());
  return first_answer<DistributedFacts>(facts, *resplit_method, about(facts, split));
}

void gather(const DistributedFacts& facts, std::uint32_t root, std::byte* to) {
  call_all(facts.group, *gather_method, about(facts, root), [&](wire::Message& answer, std::uint32_t index) {
    if (index != root) return;
    wire::Decoder in(answer);
    const auto all = value_in<Page>(in);
    if (all.size() < bytes_of(facts)) throw io_error("member " + std::to_string(root) + " sent less than all of a " + facts.text());
    std::memcpy(to, all.data(), static_cast<std::size_t>(bytes_of(facts)));
  });
}

Scalar reduce(const DistributedFacts& facts, reduction how) { return first_answer<Scalar>(facts, *reduce_method, about(facts, how)); }

DistributedFacts reduce_axis(const DistributedFacts& facts, reduction how, int axis) {
  check_reduction(facts, how, axis);
  return first_answer<DistributedFacts>(facts, *reduce_axis_method, about(facts, how, std::int32_t{axis}));
}

void combine(const DistributedFacts& into, arithmetic how, const Term& left, const Term& right) {
  call_all(into.group, *combine_method, about(into, how, left.array, left.number, right.array, right.number), nothing);
}

void put(const DistributedFacts& facts, const std::byte* all) {
  const auto whole = whole_of(facts.shape);
  const auto item = size_of(facts.type);
  call_all(
      facts.group, *put_method,
      [&](wire::Encoder& out, std::uint32_t index) {
        const auto strips = common_to(whole, geometry_of(facts.shape, facts.split, index));
        const auto bytes = count_of(strips) * item;
        Page packed = room_for(bytes);
        Walk from(strips, &Overlap::from, const_cast<std::byte*>(all), facts.shape, item);
        pack(from, {packed.mutable_data(), static_cast<std::size_t>(bytes)});
        about(facts, packed)(out, index);
      },
      nothing);
}

void read(const DistributedFacts& facts, const Array& from) { call_all(facts.group, *read_method, about(facts, from), nothing); }

void write(const DistributedFacts& facts, const Array& to) { call_all(facts.group, *write_method, about(facts, to), nothing); }

void let_go(const DistributedFacts& facts) noexcept { tell_each(facts.group, *let_go_method, about(facts)); }

}  // namespace octavo::detail::calls
