// SPDX-License-Identifier: Apache-2.0
// Section 5.3 of the paper: the commands of a client to page servers, with or without each of the remedies that its measurements led to.
#pragma once

#include <octavo/octavo.hpp>

namespace ov = octavo;
using complex = std::complex<double>;
using Server = ov::remote_ptr<ov::PageDevice>;

struct Remedies {
  bool connections_kept = true, next_line_cache = true, write_cache = true, balanced = true;
};

// Carries one command: an object has connections of its own, which end with it.
struct Courier {
  ov::future<ov::ArrayPage> read(Server server, std::int64_t i, ov::Box part) { return ov::start(server)->read(i, part, ov::dtype::complex128); }
  ov::future<void> write(Server server, ov::ArrayPage page, std::int64_t i, ov::Box part) { return ov::start(server)->write_behind(page, i, part); }
  ov::future<void> prefetch(Server server, std::int64_t i, ov::Box part) { return ov::start(server)->prefetch(i, part, ov::dtype::complex128); }
};
OCTAVO_REMOTE(Courier, read, write, prefetch)

class Commands {
 public:
  Commands(Remedies with, const ov::Shape& page) : remedies(with), whole(ov::Box::whole(page)) {}
  ov::future<ov::ArrayPage> read(const Server& server, std::int64_t i) {
    return remedies.connections_kept ? ov::start(server)->read(i, whole, ov::dtype::complex128) : ov::start(connect())->read(server, i, whole);
  }
  ov::future<void> write(const Server& server, ov::ArrayPage page, std::int64_t i) {
    if (!remedies.connections_kept) return ov::start(connect())->write(server, std::move(page), i, whole);
    return remedies.write_cache ? ov::start(server)->write_behind(std::move(page), i, whole) : ov::start(server)->write(std::move(page), i, whole);
  }
  ov::future<void> prefetch(const Server& server, std::int64_t i) {
    return remedies.connections_kept ? ov::start(server)->prefetch(i, whole, ov::dtype::complex128) : ov::start(connect())->prefetch(server, i, whole);
  }
  void disconnect() {
    for (auto& courier : couriers) ov::destroy(courier);
    couriers.clear();
  }

 private:
  const ov::remote_ptr<Courier>& connect() { return couriers.emplace_back(ov::thread.make<Courier>()); }
  Remedies remedies;
  ov::Box whole;
  std::vector<ov::remote_ptr<Courier>> couriers;
};
