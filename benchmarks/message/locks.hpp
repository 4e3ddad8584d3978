// SPDX-License-Identifier: Apache-2.0
// What locks between processes cost: seconds for each.
#pragma once

#include <octavo/message.hpp>

namespace bench {

class Rival {
 public:
  void be_notified(octavo::Mutex mutex, const octavo::Condition& there, const octavo::Condition& back, const octavo::Mailbox<int>& begun, int times) {
    std::unique_lock lock(mutex);
    begun.post(1);
    for (int i = 0; i < times; ++i) {
      there.wait(lock);
      back.notify_one();
    }
  }
  // Gives a unit for each that it takes.
  void answer(const octavo::Semaphore& take, const octavo::Semaphore& give, int times) {
    for (int i = 0; i < times; ++i) {
      take.acquire();
      give.release();
    }
  }
};
OCTAVO_REMOTE(Rival, be_notified, answer)

double lock_and_unlock();         // that nobody else wants
double compare_and_swap_twice();  // on a word of its own: the least that lock and unlock can be
double handing_over();            // a mutex, to one who waits at a condition in another process
double acquiring();               // a unit that is there, and giving it back
double unit_one_way();            // to one in another process who waits for it

}  // namespace bench
