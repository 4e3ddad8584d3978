// SPDX-License-Identifier: Apache-2.0
// Handing a page of the pool over to another process: seconds one way, whatever its size.
#pragma once

#include <cstddef>
#include <octavo/data/page.hpp>
#include <octavo/message.hpp>

#include "kit/pinned.hpp"

namespace bench {

class PageEcho : There {
 public:
  octavo::Page give_back(octavo::Page page) { return page; }
  // Until an empty one comes.
  void run(const octavo::Mailbox<octavo::Page>& in, const octavo::Mailbox<octavo::Page>& out) {
    for (octavo::Page page = in.retrieve(); page; page = in.retrieve()) out.post(std::move(page));
  }
};
OCTAVO_REMOTE(PageEcho, give_back, run)

class Pages {
 public:
  Pages();
  double in_a_call(std::size_t bytes) const;  // half of there and back
  double in_a_message(std::size_t bytes) const;

 private:
  octavo::remote_ptr<PageEcho> echo_;
  octavo::Mailbox<octavo::Page> there_{"pages there"}, back_{"pages back"};
};

}  // namespace bench
