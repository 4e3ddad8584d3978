// SPDX-License-Identifier: Apache-2.0
#include "road/shm/cooperative_copy.hpp"

#include <algorithm>

namespace octavo::road {

namespace {

constexpr std::uint64_t piece_bytes = 256 << 10, most_pieces = 0xff'ffff;

constexpr std::uint64_t pieces_of(std::uint64_t offer, std::uint64_t taken, std::uint64_t rest) noexcept { return offer << 48 | taken << 24 | rest; }
constexpr std::uint64_t offer_of(std::uint64_t word) noexcept { return word >> 48; }
constexpr std::uint64_t taken_of(std::uint64_t pieces) noexcept { return pieces >> 24 & most_pieces; }
constexpr std::uint64_t rest_of(std::uint64_t pieces) noexcept { return pieces & most_pieces; }

constexpr std::uint64_t brought_of(std::uint64_t offer, std::uint64_t brought, bool gave_up) noexcept {
  return offer << 48 | brought << 1 | static_cast<std::uint64_t>(gave_up);
}
constexpr bool gave_up(std::uint64_t brought) noexcept { return (brought & 1) != 0; }
constexpr std::uint64_t count_of(std::uint64_t brought) noexcept { return (brought & 0xffff'ffff'ffff) >> 1; }

constexpr std::uint64_t pieces_in(std::uint64_t bytes) noexcept { return (bytes + piece_bytes - 1) / piece_bytes; }

}  // namespace

// --- the reader ---

bool CooperativeReader::possible(std::uint64_t offer, std::size_t bytes, PeerMemory& writer) const noexcept {
  return bytes >= least_cooperative && pieces_in(bytes) <= most_pieces && offer != offer_ && writer.shows_its_end() &&
         !gave_up(control_->brought.load(std::memory_order_relaxed));
}

void CooperativeReader::begin(std::uint64_t offer, std::uint64_t begin, ByteSpan into) noexcept {
  offer_ = offer;
  into_ = into;
  taken_ = 0;
  all_ = pieces_in(into.size());
  control_->begin.store(begin, std::memory_order_relaxed);
  control_->bytes.store(into.size(), std::memory_order_relaxed);
  control_->to.store(reinterpret_cast<std::uintptr_t>(into.data()), std::memory_order_relaxed);
  control_->pieces.store(pieces_of(offer, 0, all_), std::memory_order_release);
}

// Empty also where the word says what an intact writer never does.
ByteSpan CooperativeReader::next() noexcept {
  auto pieces = control_->pieces.load(std::memory_order_relaxed);
  do {
    if (offer_of(pieces) != offer_ || taken_of(pieces) != taken_ || rest_of(pieces) <= taken_ || rest_of(pieces) > all_) return {};
  } while (!control_->pieces.compare_exchange_weak(pieces, pieces_of(offer_, taken_ + 1, rest_of(pieces)), std::memory_order_acq_rel));
  const std::uint64_t at = taken_++ * piece_bytes;
  return into_.subspan(at, std::min<std::uint64_t>(piece_bytes, into_.size() - at));
}

void CooperativeReader::close() noexcept {
  const auto pieces = control_->pieces.exchange(pieces_of(offer_, 0, 0), std::memory_order_acq_rel);
  asked_ = all_ - std::clamp(rest_of(pieces), taken_, all_);
}

// A writer that is at another offer has told of all that it had begun for this one.
bool CooperativeReader::told() const noexcept {
  const auto brought = control_->brought.load(std::memory_order_acquire);
  return asked_ == 0 || offer_of(brought) != offer_ || count_of(brought) >= asked_ || gave_up(brought);
}

bool CooperativeReader::settled(const PeerMemory& writer, bool hung_up) const noexcept { return told() || writer.is_over(hung_up); }

std::uint64_t CooperativeReader::pieces_brought() const noexcept {
  const auto brought = control_->brought.load(std::memory_order_acquire);
  return offer_of(brought) == offer_ ? std::min(count_of(brought), asked_) : 0;
}

std::size_t CooperativeReader::brought() const noexcept {
  const auto pieces = pieces_brought();
  return pieces == 0 ? 0 : into_.size() - (all_ - pieces) * piece_bytes;
}

// --- the writer ---

std::uint64_t CooperativeWriter::wanted_pieces() const noexcept {
  const auto pieces = control_->pieces.load(std::memory_order_acquire);
  const bool of_this = offer_of(pieces) == offer_.load(std::memory_order_relaxed) && taken_of(pieces) < rest_of(pieces);
  return of_this && !gave_up(control_->brought.load(std::memory_order_relaxed)) ? pieces : 0;
}

bool CooperativeWriter::wanted() const noexcept { return wanted_pieces() != 0; }

// There is one round for an offer: so begin, bytes and to belong to `pieces` if the compare-exchange that takes one finds them unchanged.
void CooperativeWriter::bring(ByteView offered) noexcept {
  auto pieces = wanted_pieces();
  if (pieces == 0) return;
  const auto begin = control_->begin.load(std::memory_order_relaxed), bytes = control_->bytes.load(std::memory_order_relaxed);
  const auto to = control_->to.load(std::memory_order_relaxed), at = (rest_of(pieces) - 1) * piece_bytes;
  const bool is_within = begin <= offered.size() && bytes <= offered.size() - begin && at < bytes;
  if (is_within && reader_.is_proven()) {
    if (!control_->pieces.compare_exchange_strong(pieces, pieces - 1, std::memory_order_acq_rel)) return;
    gave_up_ = !reader_.write(offered.subspan(begin + at, std::min(piece_bytes, bytes - at)), to + at);
    if (!gave_up_) ++brought_, ++all_brought_;
  } else {
    gave_up_ = true;
  }
  tell();
}

// The first word for an offer: nothing of it was brought.
void CooperativeWriter::offers(std::uint64_t offer) noexcept {
  offer_.store(offer, std::memory_order_relaxed);
  brought_ = 0;
  tell();
}

void CooperativeWriter::tell() noexcept {
  control_->brought.store(brought_of(offer_.load(std::memory_order_relaxed), brought_, gave_up_), std::memory_order_release);
}

}  // namespace octavo::road
