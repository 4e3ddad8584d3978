// SPDX-License-Identifier: Apache-2.0
#include "octavo/distributed/detail/distributed.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "data/blocks/block_arrays.hpp"
#include "distributed/calls.hpp"
#include "distributed/collectives.hpp"
#include "distributed/combine.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// Of the object that this thread belongs to, in this group; null: it is none, or no member.
std::shared_ptr<Membership> membership_here(const Founding& group) {
  try {
    facts_of_object();
  } catch (const usage_error&) {
    return nullptr;
  }
  return membership_in(group.id);
}

// Members of one machine have the directory of the program.
void check_path_of_all(const std::string& path, const DistributedFacts& facts) {
  if (std::filesystem::path(path).is_absolute() || std::ranges::adjacent_find(facts.hosts, std::not_equal_to<>()) == facts.hosts.end()) return;
  throw usage_error("to_disk into '" + path + "' by members on several machines: each has a directory of its own, and a relative path is another place there",
                    "Give an absolute path, of a directory that all of them see");
}

// What member 0 makes, at all.
Array from_first(Membership& in, const std::string& text, const std::function<Array()>& make) {
  return in_collective(in, text, spacing::together, [&](Collective& c) { return send_down(c, c.tree(0), in.index() == 0 ? make() : Array()); });
}

}  // namespace

Distributed::Distributed(DistributedFacts facts, std::shared_ptr<Membership> in, std::shared_ptr<DistributedPart> part, bool owns)
    : facts_(std::move(facts)), in_(std::move(in)), part_(std::move(part)), owns_(owns) {}

Distributed::~Distributed() {
  if (owns_) calls::let_go(facts_);
}

std::shared_ptr<Distributed> Distributed::make(const Founding& group, const Shape& shape, dtype type, const Split& split, const Scalar& fill) {
  DistributedFacts facts{0, shape, type, split, group, {}};
  auto in = membership_here(group);
  if (!in) return std::shared_ptr<Distributed>(new Distributed(calls::make(facts, fill), nullptr, nullptr, true));
  auto part = make_part(*in, std::move(facts), fill);
  parts_in(*in).add(part, false);
  return std::shared_ptr<Distributed>(new Distributed(part->facts(), std::move(in), part, false));
}

std::shared_ptr<Distributed> Distributed::known(DistributedFacts facts) {
  auto in = membership_here(facts.group);
  auto part = in ? parts_in(*in).find(facts.id) : nullptr;
  return std::shared_ptr<Distributed>(new Distributed(std::move(facts), std::move(in), std::move(part), false));
}

DistributedPart& Distributed::here() const {
  if (part_) return *part_;
  if (in_)
    throw gone_error("the part of " + member_text(in_->of(), in_->index()) + " in a " + facts_.text() + " has ended", "Keep the array where it was made");
  throw usage_error("a " + facts_.text() + " has no elements in this process: they are in those of its members", "Ask in a method of a member, or gather them");
}

std::shared_ptr<DistributedPart> Distributed::part() const {
  (void)here();
  return part_;
}
std::byte* Distributed::data() const { return here().data(); }
const Shape& Distributed::extents() const { return here().geometry().extents; }
const Shape& Distributed::wide() const { return here().geometry().wide; }

Box Distributed::box() const {
  if (facts_.split.is_cyclic())
    throw usage_error("the elements of a " + facts_.text() + " are no box: they are dealt out in turns", "Ask for local_indices(axis)");
  Box found;
  for (const auto& runs : here().geometry().own) {
    found.lo.push_back(runs.empty() ? 0 : runs.front().global);
    found.hi.push_back(runs.empty() ? 0 : runs.front().global + runs.front().length);
  }
  return found;
}

std::vector<std::int64_t> Distributed::indices(int axis) const {
  if (axis < 0 || axis >= facts_.shape.size())
    throw usage_error("axis " + std::to_string(axis) + " of a " + facts_.text(), "Name one from 0 to " + std::to_string(facts_.shape.size() - 1));
  std::vector<std::int64_t> all;
  for (const auto& run : here().geometry().own[static_cast<std::size_t>(axis)])
    for (std::int64_t i = 0; i < run.length; ++i) all.push_back(run.global + i);
  return all;
}

void Distributed::keep() const {
  if (in_) parts_in(*in_).keep(facts_.id);
}

void Distributed::exchange_halo(boundary how, const Scalar& beyond) const {
  if (in_) detail::exchange_halo(*in_, here(), how, beyond);
  else calls::exchange_halo(facts_, how, beyond);
}

std::shared_ptr<Distributed> Distributed::made_here(const std::shared_ptr<DistributedPart>& made) const {
  parts_in(*in_).add(made, false);
  return std::shared_ptr<Distributed>(new Distributed(made->facts(), in_, made, false));
}

std::shared_ptr<Distributed> Distributed::resplit(const Split& split) const {
  if (!in_) return std::shared_ptr<Distributed>(new Distributed(calls::resplit(facts_, split), nullptr, nullptr, true));
  return made_here(detail::resplit(*in_, here(), split));
}

std::shared_ptr<Distributed> Distributed::like(dtype type) const {
  if (!in_) throw usage_error("a " + facts_.text() + " was to be made again, of another type, outside of its members", "Ask in a method of a member");
  return made_here(make_like(*in_, here(), type));
}

std::shared_ptr<Distributed> Distributed::another() const {
  return in_ ? like(facts_.type) : make(facts_.group, facts_.shape, facts_.type, facts_.split, Scalar{facts_.type, {}});
}

void Distributed::combine(arithmetic how, const Operand& left, const Operand& right) const {
  std::vector<Term> terms;
  for (const auto* each : {&left, &right}) {
    const auto* array = each->array;
    if (array != nullptr) check_fits(facts_, array->facts_);
    terms.push_back({array != nullptr ? array->facts_.id : 0, array != nullptr && in_ ? &array->here() : nullptr, each->number});
  }
  if (in_) combine_parts(here(), how, terms[0], terms[1]);
  else calls::combine(facts_, how, terms[0], terms[1]);
}

bool Distributed::is_gathered_here(std::size_t root) const {
  if (root >= facts_.group.members.size())
    throw usage_error("root " + std::to_string(static_cast<std::int64_t>(root)) + " of a " + facts_.text(), "Name a member by its index, from 0 on");
  return !in_ || in_->index() == root;
}

void Distributed::gather(std::size_t root, std::byte* to) const {
  if (in_) detail::gather(*in_, here(), static_cast<std::uint32_t>(root), to);
  else calls::gather(facts_, static_cast<std::uint32_t>(root), to);
}

Scalar Distributed::reduce(reduction how) const { return in_ ? detail::reduce(*in_, here(), how) : calls::reduce(facts_, how); }

double Distributed::var(std::int64_t ddof) const {
  const auto count = facts_.shape.count();
  if (ddof < 0 || (count > 0 && ddof >= count))
    throw usage_error("var of a " + facts_.text() + ", of " + std::to_string(count) + " elements, with ddof " + std::to_string(ddof),
                      "Give one from 0 to fewer than there are elements");
  return reduce(reduction::squares).as<double>() / static_cast<double>(count - ddof);
}

std::shared_ptr<Distributed> Distributed::reduce(reduction how, int axis) const {
  if (in_) return made_here(reduce_axis(*in_, here(), how, axis));
  return std::shared_ptr<Distributed>(new Distributed(calls::reduce_axis(facts_, how, axis), nullptr, nullptr, true));
}

void Distributed::put(const std::byte* all) const {
  if (!in_) return calls::put(facts_, all);
  auto& part = here();
  const auto strips = common_to(whole_of(facts_.shape), part.geometry());
  Walk from(strips, &Overlap::from, const_cast<std::byte*>(all), facts_.shape, part.item());
  Walk to(strips, &Overlap::to, part.data(), part.geometry().wide, part.item());
  copy(from, to);
}

void Distributed::read(const Array& from) const {
  if (in_) read_part(*in_, here(), from);
  else calls::read(facts_, from);
}

void Distributed::write(const Array& to) const {
  if (in_) write_part(*in_, here(), to);
  else calls::write(facts_, to);
}

// All have written when write() returns. The target and its devices are member 0's, or this program's: where anything fails, both end with it.
void Distributed::write_disk(const std::string& path, const NewArrayOptions& options) const {
  std::optional<NewBlockTarget> target;
  const auto make = [&] {
    const Shape chunk = options.chunk.size() == 0 ? default_chunk(facts_.shape, size_of(facts_.type)) : options.chunk;
    return target.emplace(path, facts_.shape, chunk, facts_.type, options).array();
  };
  if (!in_) {
    write(make());
    return target->finish();
  }
  check_path_of_all(path, facts_);
  write(from_first(*in_, "making '" + path + "'", make));
  in_collective(*in_, "to_disk into '" + path + "'", spacing::together, [&](Collective& c) {
    if (target) target->finish();
    c.meet();
  });
}

}  // namespace octavo::detail
