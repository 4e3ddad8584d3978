// SPDX-License-Identifier: Apache-2.0
// What the other side of a steady link says on a carrier, after a greeting that is right or (first byte odd) also made up: bytes come out as they
// were sent, or the link is lost; and it never claims that more was received than came.
#include <algorithm>
#include <array>
#include <cstring>

#include "fuzz/kit/check.hpp"
#include "kit/link/link_pair.hpp"
#include "octavo/road/steady_link.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::fuzz::require;

constexpr std::size_t portion = 1000;

void send(road::Link& link, ByteView bytes) { [[maybe_unused]] auto n = link.send(std::span(&bytes, 1)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ByteView said(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  octavo::kit::LinkPair pair(64 << 10);
  road::Session session;
  road::SteadyLink link(session);
  road::SteadyGreeting greeting;
  if (data[0] % 2 != 0 && said.size() >= sizeof greeting) {
    std::memcpy(&greeting, said.data(), sizeof greeting);
    said = said.subspan(sizeof greeting);
  }
  auto other = pair.end(1);
  link.carriers()->carry(pair.end(0), greeting);
  const std::array<std::byte, 100> ours{};
  send(link, ours);
  std::size_t came = 0;
  std::array<std::byte, portion> room;
  while (!said.empty() && !link.lost()) {
    auto part = said.first(std::min(portion, said.size()));
    said = said.subspan(part.size());
    send(*other, part);
    ByteSpan into = room;
    came += link.receive(std::span(&into, 1));
    require(came <= size, "no more comes out than went in");
    require(link.lost() || link.why().empty(), "a reason is one of being lost");
  }
  other->close();
  link.carriers()->fail("no more");
  while (!link.lost()) {
    ByteSpan into = room;
    came += link.receive(std::span(&into, 1));
    require(came <= size, "no more comes out than went in");
  }
  return 0;
}
