// SPDX-License-Identifier: Apache-2.0
#include "message/bytes.hpp"

#include <algorithm>

#include "kit/clock.hpp"

namespace bench {

namespace {
double per_second(std::size_t bytes, long count, Clock::time_point begin) {
  return static_cast<double>(bytes) * static_cast<double>(count) / seconds_since(begin);
}
}  // namespace

long messages_of(std::size_t bytes) { return std::clamp<long>((128L << 20) / static_cast<long>(bytes), 4, 1000); }

ByteStream::ByteStream() : sink_(octavo::process.make<Sink>()) {}

const Bytes& ByteStream::source(std::size_t bytes) {
  if (source_.size() != bytes) source_.assign(bytes, std::byte{1});
  return source_;
}

// One vector is posted again and again, as the peers send one buffer.
double ByteStream::posted(std::size_t bytes) {
  const Bytes& from = source(bytes);
  auto some = [&](long count) {
    auto got = octavo::start(sink_)->retrieve(box_, count);
    for (long i = 0; i < count; ++i) box_.post(from);
    got.get();
  };
  some(2);
  auto begin = Clock::now();
  some(messages_of(bytes));
  return per_second(bytes, messages_of(bytes), begin);
}

double ByteStream::argument(std::size_t bytes) {
  const Bytes& from = source(bytes);
  auto some = [&](long count) {
    for (long i = 0; i < count; ++i) static_cast<void>(octavo::start(sink_)->take(from));
    sink_->taken();  // C-2: after all of them
  };
  some(2);
  auto begin = Clock::now();
  some(messages_of(bytes));
  return per_second(bytes, messages_of(bytes), begin);
}

}  // namespace bench
