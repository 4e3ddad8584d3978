// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <mutex>
#include <octavo/message.hpp>

using namespace std::chrono_literals;

bool is_full() { return true; }
void give_up() {}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  // sample
}
