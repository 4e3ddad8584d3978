// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <mutex>
#include <octavo/message.hpp>

using namespace std::chrono_literals;

struct Table {};
void change(Table&) {}
void repair(Table&) {}

void sample(Table& table) {
  // sample
}
