// SPDX-License-Identifier: Apache-2.0
// Waits until another thread of this process waits.
//
//   std::thread waiter([&] { number.set_value(::gettid()); box.retrieve(); });
//   octavo::kit::until_asleep(number.get_future().get());
#pragma once

#include <fstream>
#include <string>
#include <thread>

namespace octavo::kit {

// Or has ended.
inline void until_asleep(int thread) {
  for (char state = 'R'; state != 'S';) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    if (!std::getline(stat, line)) return;
    state = line.at(line.rfind(')') + 2);
    std::this_thread::yield();
  }
}

}  // namespace octavo::kit
