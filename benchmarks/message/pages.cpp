// SPDX-License-Identifier: Apache-2.0
#include "message/pages.hpp"

#include <cstring>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int trips = 2000;

octavo::Page page_of(std::size_t bytes) {
  octavo::Page page(static_cast<std::int64_t>(bytes));
  std::memset(page.mutable_data(), 1, bytes);  // it is there
  return page;
}

template <class Trip>
double half_of(octavo::Page page, Trip trip) {
  for (int i = 0; i < trips / 10; ++i) page = trip(std::move(page));
  auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) page = trip(std::move(page));
  return seconds_since(begin) / trips / 2;
}

}  // namespace

Pages::Pages() : echo_(octavo::process.make<PageEcho>()) {}

double Pages::in_a_call(std::size_t bytes) const {
  return half_of(page_of(bytes), [this](octavo::Page page) { return echo_->give_back(std::move(page)); });
}

double Pages::in_a_message(std::size_t bytes) const {
  auto runs = octavo::start(echo_)->run(there_, back_);
  double seconds = half_of(page_of(bytes), [this](octavo::Page page) {
    there_.post(std::move(page));
    return back_.retrieve();
  });
  there_.post({});
  runs.get();
  return seconds;
}

}  // namespace bench
