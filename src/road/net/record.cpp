// SPDX-License-Identifier: Apache-2.0
#include "road/net/record.hpp"

#include <algorithm>
#include <cstring>

#include "octavo/base/error.hpp"

namespace octavo::road::net {

namespace {

constexpr std::size_t most_kept = 256 << 10;  // of the memory of a large control, for the next

// Of the kinds that have one.
std::uint32_t fixed_size(record_kind kind) {
  return kind == record_kind::hello ? sizeof(Hello) : kind == record_kind::credit ? sizeof(Credit) : kind == record_kind::page ? sizeof(PageSize) : 0;
}

}  // namespace

void refuse_record(const std::string& what) {
  throw io_error("a record on a link was refused: " + what, "The other agent is of another version, or the connection is damaged");
}

template <class Value>
Value value_of(ByteView bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
template Hello value_of<Hello>(ByteView);
template Credit value_of<Credit>(ByteView);

bool RecordDecoder::next(ByteView& from, Record& into) {
  if (!in_payload_ && !read_header(from)) return false;
  into.kind = header_.kind;
  into.channel = header_.channel;
  std::size_t n = std::min(from.size(), left_);
  ByteView here = from.first(n);
  if (header_.kind == record_kind::data) {
    if (n == 0) return false;
    into.bytes = here;
  } else if (payload_.empty() && n == left_) {
    into.bytes = here;
  } else {
    payload_.insert(payload_.end(), here.begin(), here.end());
    if (n == left_) into.bytes = payload_;
  }
  from = from.subspan(n);
  bool part = header_.kind == record_kind::data;
  skip(n);
  if (in_payload_ && !part) return false;
  if (header_.kind == record_kind::hello) {
    check_hello(into.bytes);
    greeted_ = true;
  }
  return true;
}

void RecordDecoder::skip(std::size_t bytes) noexcept {
  left_ -= bytes;
  if (left_ == 0) in_payload_ = false;
}

bool RecordDecoder::read_header(ByteView& from) {
  std::size_t n = std::min(from.size(), sizeof header_ - filled_);
  if (n != 0) std::memcpy(reinterpret_cast<std::byte*>(&header_) + filled_, from.data(), n);
  from = from.subspan(n);
  filled_ += n;
  if (filled_ < sizeof header_) return false;
  check();
  filled_ = 0;
  left_ = header_.bytes;
  in_payload_ = true;
  payload_.clear();
  if (payload_.capacity() > most_kept) payload_.shrink_to_fit();
  return true;
}

void RecordDecoder::check() const {
  auto kind = static_cast<int>(header_.kind);
  bool of_channel =
      header_.kind == record_kind::data || header_.kind == record_kind::credit || header_.kind == record_kind::end || header_.kind == record_kind::page;
  if (header_.kind < record_kind::hello || header_.kind > record_kind::control_with) refuse_record("kind " + std::to_string(kind));
  if (header_.zero[0] != 0 || header_.zero[1] != 0 || header_.zero[2] != 0) refuse_record("bytes that must be zero are not");
  if ((header_.kind == record_kind::hello) == greeted_) refuse_record(greeted_ ? "a second hello" : "kind " + std::to_string(kind) + " before the hello");
  if (!of_channel && header_.channel != 0) refuse_record("kind " + std::to_string(kind) + " for channel " + std::to_string(header_.channel));
  const bool control = header_.kind == record_kind::control || header_.kind == record_kind::control_with;
  bool fits = control                             ? header_.bytes <= most_control_
              : header_.kind == record_kind::data ? header_.bytes != 0 && header_.bytes <= most_data_bytes
                                                  : header_.bytes == fixed_size(header_.kind);
  if (!fits) refuse_record("kind " + std::to_string(kind) + " of " + std::to_string(header_.bytes) + " bytes");
}

void RecordDecoder::check_hello(ByteView payload) const {
  auto hello = value_of<Hello>(payload);
  if (hello.magic != link_magic) refuse_record("the hello does not begin with Octavo's mark");
  if (hello.version != link_version) refuse_record("version " + std::to_string(hello.version) + ", this program speaks " + std::to_string(link_version));
  if (hello.window < least_window || hello.window > most_window) refuse_record("a window of " + std::to_string(hello.window) + " bytes");
}

}  // namespace octavo::road::net
