// SPDX-License-Identifier: Apache-2.0
// A distributed array as one process has it, whatever its type: what DistributedArray<T> and the Python package are made of. In a member its operations are
// collectives of the group; elsewhere they are called on all members.
//
// Contract, threading and failure: those of DistributedArray (DA-1 and on).
#pragma once

#include "octavo/base/no_copy.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/distributed/detail/facts.hpp"

namespace octavo::detail {

class DistributedPart;
class Distributed;

// Of arithmetic: an array of the same split, or a number.
struct Operand {
  const Distributed* array = nullptr;
  Scalar number;
};

class Distributed : NoCopy {
 public:
  static std::shared_ptr<Distributed> make(const Founding& group, const Shape& shape, dtype type, const Split& split, const Scalar& fill);
  // One that is there; in a member with its part.
  static std::shared_ptr<Distributed> known(DistributedFacts facts);
  ~Distributed();

  [[nodiscard]] const DistributedFacts& facts() const noexcept { return facts_; }
  [[nodiscard]] bool in_member() const noexcept { return in_ != nullptr; }
  // Of this member's part; throw usage_error elsewhere, gone_error where it has ended.
  [[nodiscard]] std::byte* data() const;
  [[nodiscard]] const Shape& extents() const;                       // its own elements
  [[nodiscard]] const Shape& wide() const;                          // with the halo: the shape of the memory
  [[nodiscard]] Box box() const;                                    // in the array; usage_error where its elements are dealt out in turns
  [[nodiscard]] std::vector<std::int64_t> indices(int axis) const;  // in the array
  [[nodiscard]] std::shared_ptr<DistributedPart> part() const;      // to be held as long as data() is used
  void keep() const;                                                // its part is somebody else's too, until the group ends

  void exchange_halo(boundary how, const Scalar& beyond) const;
  [[nodiscard]] std::shared_ptr<Distributed> resplit(const Split& split) const;
  // In a member: a new one of this type, of the same split, whose elements are not set. No word goes between the members.
  [[nodiscard]] std::shared_ptr<Distributed> like(dtype type) const;
  // A new one of the same type and split: in a member as like(), elsewhere of zeros.
  [[nodiscard]] std::shared_ptr<Distributed> another() const;
  // Its elements become left op right, each; it may be one of them. In a member no word goes to others.
  void combine(arithmetic how, const Operand& left, const Operand& right) const;
  // Made in members for this program, outside: the parts end with it.
  void own() noexcept { owns_ = !in_; }
  // Whether gather(root, to) fills `to` here: at the root, and outside of the members.
  [[nodiscard]] bool is_gathered_here(std::size_t root) const;
  void gather(std::size_t root, std::byte* to) const;
  [[nodiscard]] Scalar reduce(reduction how) const;
  [[nodiscard]] double var(std::int64_t ddof) const;
  // A new one, of the other axes.
  [[nodiscard]] std::shared_ptr<Distributed> reduce(reduction how, int axis) const;
  // From memory that has all of the array, in C order: each member takes its part. No collective.
  void put(const std::byte* all) const;
  void read(const Array& from) const;
  void write(const Array& to) const;
  // Makes the array at the path: outside of the members here, else at member 0, whose devices all use.
  void write_disk(const std::string& path, const NewArrayOptions& options) const;

 private:
  Distributed(DistributedFacts facts, std::shared_ptr<Membership> in, std::shared_ptr<DistributedPart> part, bool owns);
  [[nodiscard]] DistributedPart& here() const;
  [[nodiscard]] std::shared_ptr<Distributed> made_here(const std::shared_ptr<DistributedPart>& made) const;
  DistributedFacts facts_;
  std::shared_ptr<Membership> in_;         // none: outside
  std::shared_ptr<DistributedPart> part_;  // none: outside, or it has ended here
  bool owns_;                              // made from here, outside: the parts end with it
};

}  // namespace octavo::detail
