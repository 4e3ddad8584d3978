// SPDX-License-Identifier: Apache-2.0
#include <octavo/message.hpp>
#include <thread>
#include <vector>

struct Tables {};
void swap(Tables&) {}

void each_of_four(Tables& tables) {
  // sample
}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  Tables tables;
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back([&] { each_of_four(tables); });
  for (auto& each : all) each.join();
}
