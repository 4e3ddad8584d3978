// SPDX-License-Identifier: Apache-2.0
#include "message/mailboxes.hpp"

#include <thread>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int trips = 20'000;

std::string name_of(const char* what) {
  static int count = 0;
  return std::string(what) + std::to_string(count++);
}

}  // namespace

double half_trip_of(const octavo::Mailbox<long>& there, const octavo::Mailbox<long>& back, int trips) {
  auto begin = Clock::now();
  for (long i = 0, came = 0; i < trips; ++i) {
    there.post(i);
    back.retrieve(came);
  }
  return seconds_since(begin) / trips / 2;
}

Mailboxes::Mailboxes(const octavo::Place& place)
    : there_(name_of("there")), back_(name_of("back")), echo_(place.make<Echo>()), runs_(octavo::start(echo_)->run(there_, back_)) {}

Mailboxes::~Mailboxes() {
  there_.post(-1);
  runs_.wait();
}

double Mailboxes::half_trip() const { return half_trip_of(there_, back_, trips); }

double half_trip_between_threads() {
  octavo::Mailbox<long> there("there between threads"), back("back between threads");
  const PinnedHere pinned;
  std::thread other([&] { Echo().run(there, back); });
  double seconds = half_trip_of(there, back, trips);
  there.post(-1);
  other.join();
  return seconds;
}

}  // namespace bench
