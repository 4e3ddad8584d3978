// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/message.hpp>
#include <thread>

using namespace std::chrono_literals;

void give_up() {}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  std::thread loads([] { octavo::Event("loaded").set(); });
  // sample
  loads.join();
}
