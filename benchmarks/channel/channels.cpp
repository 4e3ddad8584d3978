// SPDX-License-Identifier: Apache-2.0
#include "channel/channels.hpp"

#include <cstring>
#include <thread>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int trips = 20'000, page_trips = 2000, one_way_messages = 400'000;

template <class T, class Next>
double half_of(octavo::ChannelWriter<T>& there, octavo::ChannelReader<T>& back, int count, T value, const Next& next) {
  for (int i = 0; i < count / 10; ++i) {
    there.post(std::move(value));
    back.retrieve(value);
  }
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    next(value);
    there.post(std::move(value));
    back.retrieve(value);
  }
  return seconds_since(begin) / count / 2;
}

}  // namespace

double Channels::half_trip() const {
  auto [there, far_in] = octavo::channel<long>();
  auto [far_out, back] = octavo::channel<long>();
  auto runs = octavo::start(echo_)->run(std::move(far_in), std::move(far_out));
  const double seconds = half_of<long>(there, back, trips, 0, [](long& number) { ++number; });
  there.close();
  runs.get();
  return seconds;
}

double Channels::half_trip(std::size_t bytes) const {
  auto [there, far_in] = octavo::channel<octavo::Page>();
  auto [far_out, back] = octavo::channel<octavo::Page>();
  auto runs = octavo::start(echo_)->run_pages(std::move(far_in), std::move(far_out));
  octavo::Page page(static_cast<std::int64_t>(bytes));
  std::memset(page.mutable_data(), 1, bytes);  // it is there
  const double seconds = half_of<octavo::Page>(there, back, page_trips, std::move(page), [](octavo::Page&) {});
  there.close();
  runs.get();
  return seconds;
}

double Channels::one_way() const {
  auto [there, far_in] = octavo::channel<long>();
  auto runs = octavo::start(echo_)->sum(std::move(far_in));
  there.post(1);
  const auto begin = Clock::now();
  for (long i = 1; i < one_way_messages; ++i) there.post(i);
  there.close();
  runs.get();
  return seconds_since(begin) / one_way_messages;
}

double channel_half_trip_between_threads() {
  auto [there, far_in] = octavo::channel<long>();
  auto [far_out, back] = octavo::channel<long>();
  const PinnedHere pinned;
  std::thread other([in = std::move(far_in), out = std::move(far_out)]() mutable { ChannelEcho().run(std::move(in), std::move(out)); });
  const double seconds = half_of<long>(there, back, trips, 0, [](long& number) { ++number; });
  there.close();
  other.join();
  return seconds;
}

}  // namespace bench
