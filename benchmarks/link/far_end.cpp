// SPDX-License-Identifier: Apache-2.0
#include "link/far_end.hpp"

#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kit/clock.hpp"

namespace bench {

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;

constexpr int warm_trips = 100;
constexpr double most_bytes = 1 << 28;  // of one measurement

struct Asked {
  std::uint64_t bytes = 0, answered = 0;
};

void wait_for(const road::Link& link, bool sending) {
  if (link.lost()) throw std::runtime_error("the link is lost: " + link.why());
  pollfd poll{link.descriptor(), link.events(sending), 0};
  ::poll(&poll, 1, -1);
}

}  // namespace

void send_all(road::Link& link, ByteView bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.send(std::span(&bytes, 1)));
    if (!bytes.empty()) wait_for(link, true);
  }
}

void receive_all(road::Link& link, ByteSpan bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.receive(std::span(&bytes, 1)));
    if (!bytes.empty()) wait_for(link, false);
  }
}

void serve_far_end(road::Link& link) {
  std::vector<std::byte> room;
  for (;;) {
    Asked asked;
    receive_all(link, std::as_writable_bytes(std::span(&asked, 1)));
    room.resize(std::max(asked.bytes, asked.answered));
    receive_all(link, ByteSpan(room).first(asked.bytes));
    send_all(link, ByteView(room).first(asked.answered));
  }
}

// One message: what is asked, and the bytes behind it.
void NearEnd::ask(std::size_t bytes, std::size_t answered) const {
  std::vector<std::byte> all(sizeof(Asked) + bytes, std::byte{7}), answer(answered);
  const Asked asked{bytes, answered};
  std::copy_n(reinterpret_cast<const std::byte*>(&asked), sizeof asked, all.data());
  send_all(*link_, all);
  receive_all(*link_, answer);
}

// `bytes` there and back, with what is asked among them.
double NearEnd::half_trip(std::size_t bytes, int trips) const {
  for (int i = 0; i < std::min(trips, warm_trips); ++i) ask(bytes - sizeof(Asked), bytes);
  const auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) ask(bytes - sizeof(Asked), bytes);
  return seconds_since(begin) / trips / 2;
}

double NearEnd::bytes_per_second(std::size_t bytes) const {
  const int count = std::max(2, static_cast<int>(most_bytes / static_cast<double>(bytes)));
  std::vector<std::byte> all(sizeof(Asked) + bytes, std::byte{7});
  ask(bytes, 1);
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    const Asked asked{bytes, i + 1 == count ? 1U : 0U};
    std::copy_n(reinterpret_cast<const std::byte*>(&asked), sizeof asked, all.data());
    send_all(*link_, all);
  }
  std::byte last{};
  receive_all(*link_, ByteSpan(&last, 1));
  return count * static_cast<double>(bytes) / seconds_since(begin);
}

}  // namespace bench
