// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/message.hpp>

using namespace std::chrono_literals;

struct Result {
  int from = 0;
  double value = 0;
};
void use(const Result&) {}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  // sample
  return next.from == 3 && next.value == 0.5 ? 0 : 1;
}
