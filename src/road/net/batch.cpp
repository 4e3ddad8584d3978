// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/passed_descriptors.hpp"
#include "road/net/channel.hpp"

namespace octavo::road::net {

void Batch::put(ByteView piece, Source from) {
  if (piece.empty()) return;
  views_.at(pieces_) = piece;
  owners_.at(pieces_) = from.page ? from.channel->page_out.owner() : nullptr;
  from_.at(pieces_++) = from;
  bytes_ += piece.size();
}

void Batch::add(record_kind kind, std::uint64_t channel, ByteView small) {
  auto& head = heads_.at(records_++);
  head.header = {kind, {}, static_cast<std::uint32_t>(small.size()), channel};
  if (!small.empty()) std::memcpy(head.small.data(), small.data(), small.size());
  put({reinterpret_cast<const std::byte*>(&head), sizeof head.header + small.size()});
}

bool Batch::add_control(Control& control) {
  const bool with = !control.descriptors.empty();
  if (with && records_ != 0) return false;
  if (with) descriptors_ = std::move(control.descriptors);
  auto& head = heads_.at(records_++);
  head.header = {with ? record_kind::control_with : record_kind::control, {}, static_cast<std::uint32_t>(control.bytes.size()), 0};
  put(std::as_bytes(std::span(&head.header, 1)));
  put(controls_.emplace_back(std::move(control.bytes)));  // a vector that moves keeps its bytes where they are
  return true;
}

void Batch::add_data(Channel& channel, std::size_t bytes) {
  const bool page = channel.page_out.left() != 0;
  const auto parts = page ? std::array<ByteView, 2>{channel.page_out.take(bytes)} : channel.rings->in.peek(bytes);
  bytes = parts[0].size() + parts[1].size();  // a broken process may have taken some back
  if (bytes == 0) return;
  auto& head = heads_.at(records_++);
  head.header = {record_kind::data, {}, static_cast<std::uint32_t>(bytes), channel.number};
  put(std::as_bytes(std::span(&head.header, 1)));
  channel.may_send -= bytes;
  for (auto part : parts) put(part, {&channel, page});
  if (page) return;
  channel.under_way += bytes;
  if (channel.over) channel.last -= bytes;
}

bool Batch::send(Link& link) {
  if (empty()) return true;
  std::size_t taken = send_some(link);
  while (taken != 0) {
    std::size_t n = std::min(taken, views_[next_].size());
    sent(next_, n);
    taken -= n;
    if (views_[next_].empty()) ++next_;
  }
  if (!empty()) return false;
  clear();
  return true;
}

std::size_t Batch::send_some(Link& link) {
  const auto views = std::span(views_).subspan(next_, pieces_ - next_);
  if (descriptors_.empty()) return link.send_lent(views, std::span(owners_).subspan(next_, pieces_ - next_));
  const auto taken = link.send_with(views, PassedDescriptors::numbers_of(descriptors_));
  if (taken != 0) descriptors_.clear();
  return taken;
}

void Batch::sent(std::size_t piece, std::size_t bytes) {
  views_[piece] = views_[piece].subspan(bytes);
  auto [channel, page] = from_[piece];
  if (channel == nullptr) return;
  if (page) return channel->page_out.sent(bytes);
  channel->under_way -= bytes;
  channel->rings->in.consume(bytes);
  if (channel->rings->in.release() && !channel->over) channel->process->ring();
}

void Batch::drop() {
  for (; next_ != pieces_; ++next_) {
    auto [channel, page] = from_[next_];
    if (channel == nullptr) continue;
    if (page) channel->page_out.sent(views_[next_].size());
    else channel->under_way -= views_[next_].size();
  }
  clear();
}

void Batch::clear() {
  controls_.clear();
  descriptors_.clear();
  std::fill_n(owners_.begin(), pieces_, nullptr);
  records_ = pieces_ = next_ = bytes_ = 0;
}

}  // namespace octavo::road::net
