// SPDX-License-Identifier: Apache-2.0
// Values to bytes and back. The engine is cereal (its convention is the one for user types: a member or free
// `serialize(Archive&)`, or save/load); added here are the archives with out-of-band parts, bounds, and aggregates
// without any declaration.
//
//   struct Point { double x, y; std::string name; };              // needs nothing
//   struct Shape { template <class A> void serialize(A& a) { a(kind_, sides_); } ... };
//   wire::Encoder out;  out(Point{1, 2, "a"});   wire::Decoder in(message);  in(point);
//
// Contiguous flat data (numbers, and aggregates of them) of bulk_threshold bytes or more travels beside the body, borrowed until it is sent if it belongs to
// the value that is encoded (borrowing.hpp), else copied. A Decoder never allocates more than a small multiple of what arrived. Neither archive takes values
// nested deeper than max_depth; an Encoder refuses them with its own error (refused), so that nothing leaves or is saved that cannot be read.
#pragma once

#include <algorithm>
#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <memory>
#include <span>
#include <type_traits>

#include "octavo/wire/aggregate.hpp"
#include "octavo/wire/borrowing.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::wire {

inline constexpr std::size_t bulk_threshold = 4096;
inline constexpr int max_depth = 256;  // a list of structs counts twice for each of its levels; both archives recurse

class Encoder : public cereal::OutputArchive<Encoder, cereal::AllowEmptyClassElision> {
 public:
  explicit Encoder(Outgoing& to) : cereal::OutputArchive<Encoder, cereal::AllowEmptyClassElision>(this), to_(to) {}

  void put(const void* data, std::size_t bytes) { to_.body.append(data, bytes); }
  void put_bulk(const void* data, std::size_t bytes) {
    if (bytes < bulk_threshold) return put(data, bytes);
    const auto* from = static_cast<const std::byte*>(data);
    if (copying || !borrowing_.allows(data)) from = to_.owned.emplace_back(from, from + bytes).data();
    to_.bulk.emplace_back(from, bytes);
  }
  // A reference to it is the frame's from now on.
  void put_page(const PageRef& page, PageKeeper* keeper) {
    to_.pages.push_back(page);
    to_.owner.keeper = keeper;
  }
  void carry(std::shared_ptr<Carried> what) { to_.carried.add(std::move(what)); }
  // While true, what is encoded is the caller's to give away: a Page moves instead of being shared (C-4).
  bool giving = false;
  bool copying = false;  // bulk is copied, for values that do not live until the frame is sent
  // `function`: in whose name the type is; null where that tells nothing.
  void enter(const char* function) {
    if (function != nullptr) named_ = function;
    if (++depth_ > max_depth) refuse_depth();
  }
  void leave() noexcept { --depth_; }
  [[nodiscard]] Borrowing& borrowing() noexcept { return borrowing_; }
  [[nodiscard]] const PageKeeper* shares() const noexcept { return to_.shares; }

 private:
  [[noreturn]] void refuse_depth() const;
  Outgoing& to_;
  Borrowing borrowing_;
  const char* named_ = "";
  int depth_ = 0;
};

class Decoder : public cereal::InputArchive<Decoder, cereal::AllowEmptyClassElision> {
 public:
  explicit Decoder(Message& from) : cereal::InputArchive<Decoder, cereal::AllowEmptyClassElision>(this), from_(from) {
    bulk_left_ = static_cast<std::size_t>(from.bulk_bytes());
  }
  void get(void* data, std::size_t bytes);
  void get_bulk(void* data, std::size_t bytes);
  Buffer take_bulk(std::size_t bytes);  // the same without a copy
  PageRef take_page();
  void check_count(std::uint64_t count) const;                           // of a container: refuses what cannot be there
  void check_bytes(std::uint64_t count, std::size_t each) const;         // the same of flat elements
  void check_index(std::int32_t index, std::size_t alternatives) const;  // of a variant
  void enter();
  void leave() noexcept { --depth_; }
  [[nodiscard]] PageKeeper* keeper() const noexcept { return from_.keeper; }
  [[nodiscard]] std::size_t left() const noexcept { return from_.body.size() - read_; }

 private:
  void read_pending(ByteSpan into);
  Message& from_;
  std::size_t read_ = 0, next_bulk_ = 0, bulk_left_ = 0;
  int depth_ = 0;
};

// cereal finds these by the archive's namespace.
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const T& value) { archive.put(&value, sizeof value); }
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    archive.get(&byte, 1);
    value = byte != 0;
  } else {
    archive.get(&value, sizeof value);
  }
}
template <class Archive, class T>
CEREAL_ARCHIVE_RESTRICT(Decoder, Encoder)
CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const cereal::SizeTag<T>& tag) {
  archive.put(&tag.size, sizeof tag.size);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, cereal::SizeTag<T>& tag) {
  archive.get(&tag.size, sizeof tag.size);
  archive.check_count(tag.size);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const cereal::BinaryData<T>& data) {
  archive.put_bulk(data.data, static_cast<std::size_t>(data.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, cereal::BinaryData<T>& data) {
  archive.get_bulk(data.data, static_cast<std::size_t>(data.size));
}
// cereal makes all elements before it reads the first: a false count would cost sizeof(T), or a deque's block, for each byte that arrived.
template <class T, class List>
void load_one_by_one(Decoder& archive, List& list) {
  cereal::size_type count = 0;
  archive(cereal::make_size_tag(count));
  list.clear();
  if constexpr (requires { list.reserve(1); }) list.reserve(std::min<std::size_t>(count, archive.left() / sizeof(T)));
  for (; count != 0; --count) archive(list.emplace_back());
}
// Memory that is about to be filled for the first time: it comes in large pages where the system has them, which for much of it is most of the price.
void will_fill(void* data, std::size_t bytes) noexcept;
template <class T, class A>
  requires(!std::is_same_v<T, bool>)
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, std::vector<T, A>& list) {
  if constexpr (std::is_arithmetic_v<T> || flat<T, Encoder>) {
    cereal::size_type count = 0;
    archive(cereal::make_size_tag(count));
    archive.check_bytes(count, sizeof(T));
    const auto size = static_cast<std::size_t>(count);
    if (size > list.capacity()) {
      list.clear();  // nothing is moved
      list.reserve(size);
      will_fill(list.data(), size * sizeof(T));
    }
    list.resize(size);
    archive.get_bulk(list.data(), list.size() * sizeof(T));
  } else {
    load_one_by_one<T>(archive, list);
  }
}
template <class T, class A>
  requires(!std::is_arithmetic_v<T> && flat<T, Encoder>)
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const std::vector<T, A>& list) {
  archive(cereal::make_size_tag(static_cast<cereal::size_type>(list.size())));
  archive.put_bulk(list.data(), list.size() * sizeof(T));
}
template <class T, class A>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, std::deque<T, A>& list) {
  load_one_by_one<T>(archive, list);
}
template <class T, class A>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, std::list<T, A>& list) {
  load_one_by_one<T>(archive, list);
}
// What is owned travels; a copy of a class with virtual functions could lose the derived part, so only a final one does.
template <class T>
inline constexpr bool owned_whole = !std::is_array_v<T> && (!std::is_polymorphic_v<T> || std::is_final_v<T>);
template <class T>
  requires owned_whole<T>
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const std::unique_ptr<T>& pointer) {
  archive(pointer != nullptr);
  if (pointer) archive(*pointer);
}
template <class T>
  requires owned_whole<T>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, std::unique_ptr<T>& pointer) {
  bool there = false;
  archive(there);
  pointer = there ? std::make_unique<T>() : nullptr;
  if (there) archive(*pointer);
}
// cereal throws an exception of its own where the index is none.
template <class... T>
void CEREAL_LOAD_FUNCTION_NAME(Decoder& archive, std::variant<T...>& value) {
  std::int32_t index = 0;
  archive(index);
  archive.check_index(index, sizeof...(T));
  [&]<std::size_t... I>(std::index_sequence<I...>) { ((static_cast<std::size_t>(index) == I ? archive(value.template emplace<I>()) : archive), ...); }
  (std::index_sequence_for<T...>());
}
template <class T>
inline constexpr bool may_be_bulk = !std::is_arithmetic_v<T> && !std::is_enum_v<T> && !is_wrapper<T>;
template <class T>
void prologue(Encoder& archive, const T& value) {
  archive.enter(may_be_bulk<T> ? __PRETTY_FUNCTION__ : nullptr);
  if constexpr (is_deferred<T>) archive.copying = true;  // it is encoded later, when whatever it refers to may be gone
  else if constexpr (may_be_bulk<T>) archive.borrowing().enter(std::addressof(value), sizeof value, owns_what_it_saves<T>);
}
template <class T>
void epilogue(Encoder& archive, const T& /*value*/) {
  archive.leave();
  if constexpr (!is_deferred<T> && may_be_bulk<T>) archive.borrowing().leave();
}
// A span travels as the vector of its elements. It does not own them: nothing is given away.
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Encoder& archive, const std::span<T>& span) {
  const bool giving = std::exchange(archive.giving, false);
  archive(cereal::make_size_tag(static_cast<cereal::size_type>(span.size())));
  if constexpr (flat<std::remove_cv_t<T>, Encoder>) archive.put_bulk(span.data(), span.size_bytes());
  else
    for (const auto& each : span) archive(each);
  archive.giving = giving;
}
template <class T>
void prologue(Decoder& archive, const T&) {
  archive.enter();
}
template <class T>
void epilogue(Decoder& archive, const T&) {
  archive.leave();
}

// Aggregates: each field in its order. Types with a convention of their own never come here.
template <class Archive, class T>
  requires(std::is_same_v<Archive, Encoder> || std::is_same_v<Archive, Decoder>)
&&plain_aggregate<T, Archive> void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, T& value) {
  for_each_field(value, [&archive](auto&... fields) { (archive(fields), ...); });
}

// Whether a value of T can travel at all; the front of every call asserts it with a message for people.
template <class T>
concept travels = cereal::traits::is_output_serializable<T, Encoder>::value && cereal::traits::is_input_serializable<T, Decoder>::value;

}  // namespace octavo::wire

CEREAL_SETUP_ARCHIVE_TRAITS(octavo::wire::Decoder, octavo::wire::Encoder)
