// SPDX-License-Identifier: Apache-2.0
#include "octavo/wire/archive.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "octavo/base/error.hpp"
#include "octavo/wire/plain.hpp"

namespace octavo::wire {

namespace {
[[noreturn]] void refuse(const std::string& what) {
  throw io_error("a message could not be decoded: " + what, "Caller and callee disagree about a type: build both from the same sources");
}
[[noreturn]] void refuse_bulk(std::size_t bytes) { refuse("a bulk part of " + std::to_string(bytes) + " bytes is not there"); }
}  // namespace

void raise_bad_plain(std::size_t wanted, std::size_t came) { refuse(std::to_string(wanted) + " bytes wanted, " + std::to_string(came) + " left"); }

void will_fill(void* data, std::size_t bytes) noexcept {
  constexpr std::size_t large_page = std::size_t{2} << 20, much = 2 * large_page;
  if (bytes < much) return;
  const auto from = reinterpret_cast<std::uintptr_t>(data);
  const auto first = (from + large_page - 1) / large_page * large_page, end = (from + bytes) / large_page * large_page;
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // advice: where it is refused the pages are small
}

// The type is in "void prologue(Encoder&, const T&) [with T = Node]".
void Encoder::refuse_depth() const {
  std::string_view type = named_;
  if (const auto at = type.rfind("T = "); at != std::string_view::npos) type = type.substr(at + 4, type.size() - at - 5);
  throw refused("a value is nested deeper than " + std::to_string(max_depth) + " levels (in a " + std::string(type) + "): nobody could read it again",
                "Let it travel, or be saved, as a list whose elements name each other by index");
}

void Decoder::get(void* data, std::size_t bytes) {
  if (bytes > left()) refuse(std::to_string(bytes) + " bytes wanted, " + std::to_string(left()) + " left");
  if (bytes != 0) std::memcpy(data, from_.body.span().data() + read_, bytes);
  read_ += bytes;
}

void Decoder::get_bulk(void* data, std::size_t bytes) {
  if (bytes < bulk_threshold) return get(data, bytes);
  if (from_.pending_bulk) return read_pending({static_cast<std::byte*>(data), bytes});
  if (next_bulk_ == from_.bulk.size() || from_.bulk[next_bulk_].size() != bytes) refuse_bulk(bytes);
  std::memcpy(data, from_.bulk[next_bulk_].span().data(), bytes);
  bulk_left_ -= bytes;
  from_.bulk[next_bulk_++] = Buffer();
}

Buffer Decoder::take_bulk(std::size_t bytes) {
  if (bytes < bulk_threshold) {
    Buffer part(bytes);
    get(part.span().data(), bytes);
    return part;
  }
  if (from_.pending_bulk) {
    if (from_.pending_bulk->next_size() != bytes) refuse_bulk(bytes);  // before memory is taken
    Buffer part(bytes);
    read_pending(part.span());
    return part;
  }
  if (next_bulk_ == from_.bulk.size() || from_.bulk[next_bulk_].size() != bytes) refuse_bulk(bytes);
  bulk_left_ -= bytes;
  return std::exchange(from_.bulk[next_bulk_++], Buffer());
}

void Decoder::read_pending(ByteSpan into) {
  if (from_.pending_bulk->next_size() != into.size()) refuse_bulk(into.size());
  from_.pending_bulk->read(into);
  bulk_left_ -= into.size();
}

PageRef Decoder::take_page() {
  if (from_.pages.empty()) refuse("a page is not there");
  // The reference passes to the taker; what is left in the message is released with it.
  PageRef page = from_.pages.front();
  from_.pages.erase(from_.pages.begin());
  return page;
}

void Decoder::check_count(std::uint64_t count) const {
  if (count > left() + bulk_left_) refuse("a container of " + std::to_string(count) + " elements in " + std::to_string(left() + bulk_left_) + " bytes");
}

void Decoder::check_bytes(std::uint64_t count, std::size_t each) const {
  std::size_t there = left() + bulk_left_;
  if (count > there / each) refuse(std::to_string(count) + " elements of " + std::to_string(each) + " bytes in " + std::to_string(there) + " bytes");
}

void Decoder::check_index(std::int32_t index, std::size_t alternatives) const {
  if (index < 0 || static_cast<std::size_t>(index) >= alternatives)
    refuse("alternative " + std::to_string(index) + " of a variant that has " + std::to_string(alternatives));
}

void Decoder::enter() {
  if (++depth_ > max_depth) refuse("values nested deeper than " + std::to_string(max_depth));
}

}  // namespace octavo::wire
