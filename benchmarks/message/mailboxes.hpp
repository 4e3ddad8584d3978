// SPDX-License-Identifier: Apache-2.0
// Half a round trip of eight bytes through two mailboxes.
#pragma once

#include <memory>
#include <octavo/message.hpp>

#include "kit/pinned.hpp"

namespace bench {

class Echo : There {
 public:
  // Until a negative number comes.
  void run(const octavo::Mailbox<long>& in, const octavo::Mailbox<long>& out) {
    for (long number = in.retrieve(); number >= 0; number = in.retrieve()) out.post(number);
  }
};
OCTAVO_REMOTE(Echo, run)

// With an object of its own, which echoes as long as this lives.
class Mailboxes {
 public:
  explicit Mailboxes(const octavo::Place& place);
  ~Mailboxes();
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;
  double half_trip() const;  // seconds

 private:
  octavo::Mailbox<long> there_, back_;
  octavo::remote_ptr<Echo> echo_;
  octavo::future<void> runs_;
};

// With whoever echoes.
double half_trip_of(const octavo::Mailbox<long>& there, const octavo::Mailbox<long>& back, int trips);
// Between two threads of this program.
double half_trip_between_threads();

}  // namespace bench
