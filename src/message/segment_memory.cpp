// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/segment_memory.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "machine/notices/home_name.hpp"
#include "message/home_memory.hpp"
#include "message/open_segment.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"

namespace octavo::detail {

class SegmentMemory::Held : NoCopy {
 public:
  class Page;
  class OfHome;
  virtual ~Held() = default;
  [[nodiscard]] virtual void* memory() const = 0;
  // Of one that is no page, but the home's: the type of its elements. Null: it is a page.
  [[nodiscard]] virtual const std::string* type() const { return nullptr; }
};

// One reference to the page.
class SegmentMemory::Held::Page final : public Held {
 public:
  Page(std::shared_ptr<Pool> pool, const wire::PageRef& page) noexcept : pool_(std::move(pool)), page_(page) {}
  ~Page() override {
    if (!given_ && life_ == forks()) pool_->release(page_);
  }
  [[nodiscard]] Pool& pool() const noexcept { return *pool_; }
  [[nodiscard]] const wire::PageRef& page() const noexcept { return page_; }
  [[nodiscard]] void* memory() const override { return pool_->at(page_); }
  // The reference belongs to a message from now on.
  void give() noexcept { given_ = true; }

 private:
  const std::shared_ptr<Pool> pool_;  // its memory, also when its endpoint has ended
  const wire::PageRef page_;
  bool given_ = false;
  const unsigned life_ = forks();  // in a forked child the reference belongs to the parent
};

// Memory of the lasting agent, which is told when this process has it once less.
class SegmentMemory::Held::OfHome final : public Held {
 public:
  OfHome(const control::HomeSegmentRequest& request) : memory_(request), type_(request.type), maker_(Endpoint::require().around().self.address) {}
  ~OfHome() override {
    auto* here = Endpoint::current();
    if (here == nullptr || here->around().self.address != maker_ || life_ != forks()) return;  // its agent hears, or has heard, of the end of what made it
    memory_.leave(here->around().agent);
  }
  [[nodiscard]] void* memory() const override { return memory_.at(); }
  [[nodiscard]] const std::string* type() const override { return &type_; }

 private:
  const HomeMemory memory_;
  const std::string type_;
  const Address maker_;
  const unsigned life_ = forks();
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
  hold(std::make_shared<Held::Page>(std::move(pool), page), elements);
}

SegmentMemory::SegmentMemory(std::string name, const ElementKind& kind, std::size_t elements) : name_(std::move(name)) {
  const auto bytes = bytes_of(name_, kind, elements);
  if (name_.starts_with("ov://")) {
    if (!is_of_home(name_))
      throw usage_error("'" + name_ + "' is no name of a segment", "Begin it with ov://home/ for all programs of this machine, or leave 'ov://' out");
    hold(std::make_shared<Held::OfHome>(control::HomeSegmentRequest{0, name_, kind.name, elements, static_cast<std::uint64_t>(bytes)}), elements);
    return;
  }
  auto pool = pool_here();
  auto& agent = Endpoint::require().around().agent;
  const auto page = open_segment(
      *pool, {0, name_, kind.name, elements, static_cast<std::uint64_t>(bytes), {}}, [&] { return make_page(*pool, name_, bytes); },
      [&](const control::OpenSegment& request) { return agent.ask<control::SegmentAt>(request).page; });
  hold(std::make_shared<Held::Page>(std::move(pool), page), elements);
}

void SegmentMemory::hold(std::shared_ptr<Held> held, std::size_t elements) {
  memory_ = held->memory();
  elements_ = elements;
  held_ = std::move(held);
}

// Nobody has a copy here, has it elsewhere, or may open it by its name.
bool SegmentMemory::nobody_else_has_it() const {
  if (!name_.empty() || held_.use_count() != 1) return false;
  const auto& held = static_cast<const Held::Page&>(*held_);
  return held.pool().references(held.page()) == 1;
}

void SegmentMemory::put(wire::Encoder& out) const {
  out(static_cast<std::uint64_t>(elements_));
  if (!held_) return;
  out(name_);
  if (const auto* type = held_->type()) {  // its receiver opens it itself
    out(*type);
    return;
  }
  auto& held = static_cast<Held::Page&>(*held_);
  const wire::PageKeeper* shares = out.shares() != nullptr ? out.shares() : &Endpoint::require().around().pool;
  if (&held.pool() != shares)
    throw usage_error(title(name_) + " was made in another object, or under another Runtime", "Pass it to this one as an argument first");
  auto page = held.page();
  if (out.giving && nobody_else_has_it()) {
    page.in_common = 0;
    out.put_page(page, &held.pool());
    held.give();
    return forget();
  }
  held.pool().share(page);
  page.in_common = 1;
  out.put_page(page, &held.pool());
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
  if (is_of_home(name_)) {
    ElementKind kind{{}, element_bytes};
    in(kind.name);
    *this = SegmentMemory(name_, kind, static_cast<std::size_t>(elements));
    return;
  }
  const auto held = std::make_shared<Held::Page>(pool_here(), in.take_page());
  const auto bytes = held->page().bytes;
  if (bytes % element_bytes != 0 || bytes / element_bytes != elements)
    throw io_error(title(name_) + " of " + std::to_string(elements) + " elements of " + std::to_string(element_bytes) + " bytes came with " +
                   std::to_string(bytes) + " bytes");
  hold(held, static_cast<std::size_t>(elements));
}

}  // namespace octavo::detail
