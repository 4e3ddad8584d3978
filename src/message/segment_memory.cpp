// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/segment_memory.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "message/open_segment.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"

namespace octavo::detail {

// One reference to the page.
class SegmentMemory::Held : NoCopy {
 public:
  Held(std::shared_ptr<Pool> pool, const wire::PageRef& page) noexcept : pool_(std::move(pool)), page_(page) {}
  ~Held() {
    if (!given_ && life_ == forks()) pool_->release(page_);
  }
  [[nodiscard]] Pool& pool() const noexcept { return *pool_; }
  [[nodiscard]] const wire::PageRef& page() const noexcept { return page_; }
  [[nodiscard]] void* memory() const { return pool_->at(page_); }
  // The reference belongs to a message from now on.
  void give() noexcept { given_ = true; }

 private:
  const std::shared_ptr<Pool> pool_;  // its memory, also when its endpoint has ended
  const wire::PageRef page_;
  bool given_ = false;
  const unsigned life_ = forks();  // in a forked child the reference belongs to the parent
};

namespace {

constexpr auto patience = std::chrono::seconds(5);  // with pages on their way to whoever releases them

std::string title(const std::string& name) { return name.empty() ? "a segment" : "segment '" + name + "'"; }

std::int64_t bytes_of(const std::string& name, const ElementKind& kind, std::size_t elements) {
  if (elements == 0) throw usage_error(title(name) + " was to have no elements", "Give it at least one; where there is none yet, use an empty Segment");
  if (elements > std::numeric_limits<std::int64_t>::max() / kind.bytes)
    throw refused(title(name) + " was to have " + std::to_string(elements) + " elements of " + std::to_string(kind.bytes) +
                  " bytes, more than there is memory");
  return static_cast<std::int64_t>(elements * kind.bytes);
}

std::shared_ptr<Pool> pool_here() { return Endpoint::require().around().pool.shared_from_this(); }

// Zeros.
wire::PageRef make_page(Pool& pool, const std::string& name, std::int64_t bytes) {
  auto page = pool.try_allocate(bytes);
  if (!page && bytes <= pool.bytes()) {
    try {
      page = pool.allocate(bytes, road::Clock::now() + patience);
    } catch (const timed_out&) {}
  }
  if (!page)
    throw refused(title(name) + " of " + format_bytes(bytes) + " does not fit the pool of " + format_bytes(pool.bytes()) + ", of which " +
                      format_bytes(pool.free_bytes()) + " are free now",
                  "Give the Runtime more memory, or let go of pages and segments first");
  std::memset(pool.at(*page), 0, static_cast<std::size_t>(bytes));
  return *page;
}

}  // namespace

SegmentMemory::SegmentMemory(const ElementKind& kind, std::size_t elements) {
  const auto bytes = bytes_of({}, kind, elements);
  auto pool = pool_here();
  const auto page = make_page(*pool, {}, bytes);
  hold(std::make_shared<Held>(std::move(pool), page), elements);
}

SegmentMemory::SegmentMemory(std::string name, const ElementKind& kind, std::size_t elements) : name_(std::move(name)) {
  if (name_.starts_with("ov://"))
    throw not_supported("the name of the segment '" + name_ + "': segments belong to one program, and none is found under an address",
                        "Leave 'ov://' out; what outlives the program is an object with a name, such as a double[]");
  const auto bytes = bytes_of(name_, kind, elements);
  auto pool = pool_here();
  auto& agent = Endpoint::require().around().agent;
  const auto page = open_segment(
      *pool, {0, name_, kind.name, elements, static_cast<std::uint64_t>(bytes), {}}, [&] { return make_page(*pool, name_, bytes); },
      [&](const control::OpenSegment& request) { return agent.ask<control::SegmentAt>(request).page; });
  hold(std::make_shared<Held>(std::move(pool), page), elements);
}

void SegmentMemory::hold(std::shared_ptr<Held> held, std::size_t elements) {
  memory_ = held->memory();
  elements_ = elements;
  held_ = std::move(held);
}

// Nobody has a copy here, has it elsewhere, or may open it by its name.
bool SegmentMemory::nobody_else_has_it() const { return name_.empty() && held_.use_count() == 1 && held_->pool().references(held_->page()) == 1; }

void SegmentMemory::put(wire::Encoder& out) const {
  out(static_cast<std::uint64_t>(elements_));
  if (!held_) return;
  const wire::PageKeeper* shares = out.shares() != nullptr ? out.shares() : &Endpoint::require().around().pool;
  if (&held_->pool() != shares)
    throw usage_error(title(name_) + " was made in another object, or under another Runtime", "Pass it to this one as an argument first");
  out(name_);
  auto page = held_->page();
  if (out.giving && nobody_else_has_it()) {
    page.in_common = 0;
    out.put_page(page, &held_->pool());
    held_->give();
    return forget();
  }
  held_->pool().share(page);
  page.in_common = 1;
  out.put_page(page, &held_->pool());
}

void SegmentMemory::forget() const {
  held_.reset();
  memory_ = nullptr;
  elements_ = 0;
}

void SegmentMemory::get(wire::Decoder& in, std::size_t element_bytes) {
  *this = SegmentMemory();
  std::uint64_t elements = 0;
  in(elements);
  if (elements == 0) return;
  in(name_);
  const auto held = std::make_shared<Held>(pool_here(), in.take_page());
  const auto bytes = held->page().bytes;
  if (bytes % element_bytes != 0 || bytes / element_bytes != elements)
    throw io_error(title(name_) + " of " + std::to_string(elements) + " elements of " + std::to_string(element_bytes) + " bytes came with " +
                   std::to_string(bytes) + " bytes");
  hold(held, static_cast<std::size_t>(elements));
}

}  // namespace octavo::detail
