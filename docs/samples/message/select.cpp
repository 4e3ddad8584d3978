// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/message.hpp>

using namespace std::chrono_literals;

void work(int) {}
void obey(int) {}

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  octavo::Mailbox<int> jobs("jobs"), orders("orders");
  orders.post(1);
  orders.post(2);
  // sample
  return which == 1u ? 0 : 1;
}
