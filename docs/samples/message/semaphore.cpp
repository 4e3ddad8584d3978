// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/message.hpp>

using namespace std::chrono_literals;

void read() {}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  // sample
}
