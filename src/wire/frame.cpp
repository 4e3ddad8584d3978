// SPDX-License-Identifier: Apache-2.0
#include "octavo/wire/frame.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "octavo/base/error.hpp"

namespace octavo::wire {

Message& Message::operator=(Message&& other) noexcept {
  if (this != &other) {
    release_pages();
    header = other.header;
    body = std::move(other.body);
    bulk = std::move(other.bulk);
    pending_bulk = std::move(other.pending_bulk);
    pages = std::move(other.pages);
    other.pages.clear();
    keeper = other.keeper;
  }
  return *this;
}

std::uint64_t PendingBulk::left() const noexcept {
  return std::accumulate(sizes_.begin() + static_cast<std::ptrdiff_t>(next_), sizes_.end(), std::uint64_t{0});
}

std::uint64_t Message::bulk_bytes() const noexcept {
  std::uint64_t bytes = pending_bulk ? pending_bulk->left() : 0;
  for (const auto& part : bulk) bytes += part.size();
  return bytes;
}

void Message::release_pages() noexcept {
  if (keeper != nullptr)
    for (const auto& page : pages)
      if (page.by_value == 0) keeper->release(page);
  pages.clear();
}

namespace {
Buffer copy_of(ByteView bytes) {
  Buffer copy(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.span().begin());
  return copy;
}
}  // namespace

Message message_of(const FrameHeader& header, ByteView body) {
  Message message;
  message.header = header;
  message.body = copy_of(body);
  return message;
}

Message message_of(const Outgoing& frame) {
  auto message = message_of(frame.header, frame.body);
  for (auto part : frame.bulk) message.bulk.push_back(copy_of(part));
  message.pages = frame.pages;
  return message;
}

void Outgoing::release_pages() noexcept {
  for (const auto& page : pages) owner.keeper->release(page);
}

void Outgoing::seal() {
  header.body_bytes = body.size();
  header.bulk_count = static_cast<std::uint32_t>(bulk.size());
  header.page_count = static_cast<std::uint32_t>(pages.size());
}

void FrameDecoder::got(std::size_t bytes) {
  filled_ += bytes;
  go_on(false);
}

void FrameDecoder::go_on(bool page_by_value) {
  try {
    while (filled_ == room_.size() && step_ != step::done && step_ != step::headed && (step_ != step::page || page_by_value)) advance();
  } catch (const std::bad_alloc&) {
    throw refused("a frame with a body of " + std::to_string(message_.header.body_bytes) + " bytes and " + std::to_string(message_.header.bulk_count) +
                      " bulk parts does not fit into memory",
                  "Send it in smaller pieces, or as pages");
  }
}

void FrameDecoder::begin(step to, ByteSpan room) noexcept {
  step_ = to;
  room_ = room;
  filled_ = 0;
}

void FrameDecoder::advance() {
  const FrameHeader& header = message_.header;
  switch (step_) {
    case step::header:
      check_header();
      tables_ = Buffer(header.bulk_count * sizeof(std::uint64_t) + header.page_count * sizeof(PageRef));
      return begin(step::tables, tables_.span());
    case step::tables:
      read_tables();
      message_.body = Buffer(header.body_bytes);
      return begin(step::body, message_.body.span());
    case step::body:
      if (may_be_in_place()) return begin(step::headed, {});
      [[fallthrough]];
    case step::bulk: {
      const std::size_t part = message_.bulk.size();
      if (part == bulk_sizes_.size()) return begin(step::done, {});
      if (part >= first_page_part() && bulk_sizes_[part] != 0) return begin(step::page, {});
      return begin_bulk();
    }
    case step::page: return begin_bulk();
    case step::headed:
    case step::done: return;
  }
}

void FrameDecoder::begin_bulk() { begin(step::bulk, message_.bulk.emplace_back(bulk_sizes_[message_.bulk.size()]).span()); }

bool FrameDecoder::take_page(const PageRef& page) {
  const std::size_t part = message_.bulk.size();
  if (step_ != step::page || bulk_sizes_[part] != page.bytes) return false;
  message_.pages[part - first_page_part()] = page;
  message_.bulk.emplace_back();
  begin(step::bulk, {});
  go_on(false);
  return true;
}

void FrameDecoder::take_bytes_of_page() { go_on(true); }

// Little is not worth it; of much a peer may only say that it comes, and memory would be taken for it at once.
bool FrameDecoder::may_be_in_place() const {
  constexpr std::uint64_t least = 16 << 10, most = 256 << 20;
  if (in_place_ == nullptr || bulk_sizes_.empty() || message_.header.page_count != 0) return false;
  const std::uint64_t all = std::accumulate(bulk_sizes_.begin(), bulk_sizes_.end(), std::uint64_t{0});
  return all >= least && all <= most && in_place_->receives_in_place(message_.header);
}

void refuse_frame(const std::string& what) { throw io_error("a frame was refused: " + what, "The peer is of another version, or the connection is damaged"); }

// Without a default, so that a new kind does not compile until it is here.
void check_kind(frame_kind kind) {
  switch (kind) {
    case frame_kind::call:
    case frame_kind::reply:
    case frame_kind::error:
    case frame_kind::construct:
    case frame_kind::destroy:
    case frame_kind::cancel:
    case frame_kind::probe:
    case frame_kind::member:
    case frame_kind::save:
    case frame_kind::is_a:
    case frame_kind::post:
    case frame_kind::taken:
    case frame_kind::inquiry:
    case frame_kind::has_item: return;
  }
  refuse_frame("kind " + std::to_string(static_cast<int>(kind)));
}

void FrameDecoder::check_header() const {
  const FrameHeader& header = message_.header;
  if (header.magic != frame_magic) refuse_frame("it does not begin with Octavo's mark");
  if (header.version != frame_version) refuse_frame("version " + std::to_string(header.version) + ", this program speaks " + std::to_string(frame_version));
  check_kind(header.kind);
  if (header.body_bytes > limits_.body_bytes) refuse_frame("a body of " + std::to_string(header.body_bytes) + " bytes");
  if (header.bulk_count > limits_.bulk_count) refuse_frame(std::to_string(header.bulk_count) + " bulk parts");
  if (header.page_count > limits_.page_count) refuse_frame(std::to_string(header.page_count) + " pages");
}

void FrameDecoder::read_tables() {
  const FrameHeader& header = message_.header;
  const std::byte* from = tables_.span().data();
  std::uint64_t total = 0;
  bulk_sizes_.clear();
  bulk_sizes_.reserve(header.bulk_count);
  message_.bulk.reserve(header.bulk_count);  // none moves: room_ looks into the last
  for (std::uint32_t i = 0; i < header.bulk_count; ++i, from += sizeof(std::uint64_t)) {
    std::uint64_t size = 0;
    std::memcpy(&size, from, sizeof size);
    if (size > limits_.bulk_bytes || (total += size) > limits_.bulk_bytes)
      throw io_error("a frame was refused: bulk parts of " + std::to_string(total) + " bytes");
    bulk_sizes_.push_back(size);
  }
  message_.pages.resize(header.page_count);
  if (header.page_count != 0) std::memcpy(message_.pages.data(), from, header.page_count * sizeof(PageRef));
  if (!pages_beside_) return;
  if (header.page_count > header.bulk_count)
    refuse_frame(std::to_string(header.page_count) + " pages of another pool, " + std::to_string(header.bulk_count) + " bulk parts");
  for (auto& page : message_.pages) page = {0, page.bytes, 0, 1};
}

Message FrameDecoder::take_head(std::vector<std::uint64_t>& sizes) {
  sizes.swap(bulk_sizes_);
  return take();
}

Message FrameDecoder::take() {
  // Where all pages came beside the bytes, their parts are empty.
  auto by_value = [](const PageRef& page) { return page.by_value != 0; };
  if (pages_beside_ && step_ == step::done && std::none_of(message_.pages.begin(), message_.pages.end(), by_value)) message_.bulk.resize(first_page_part());
  Message taken = std::move(message_);
  message_ = Message();
  step_ = step::header;
  filled_ = 0;
  room_ = {reinterpret_cast<std::byte*>(&message_.header), sizeof(FrameHeader)};
  return taken;
}

std::vector<ByteView> pieces_of(const Outgoing& frame, std::vector<std::byte>& tables) {
  tables.resize(frame.bulk.size() * sizeof(std::uint64_t) + frame.pages.size() * sizeof(PageRef));
  std::byte* to = tables.data();
  for (const auto& part : frame.bulk) {
    std::uint64_t size = part.size();
    std::memcpy(to, &size, sizeof size);
    to += sizeof size;
  }
  if (!frame.pages.empty()) std::memcpy(to, frame.pages.data(), frame.pages.size() * sizeof(PageRef));
  std::vector<ByteView> pieces{std::as_bytes(std::span(&frame.header, 1)), ByteView(tables), ByteView(frame.body)};
  pieces.insert(pieces.end(), frame.bulk.begin(), frame.bulk.end());
  return pieces;
}

}  // namespace octavo::wire
