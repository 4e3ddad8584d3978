// SPDX-License-Identifier: Apache-2.0
// oneTBB's bounded queue of pointers between two threads (threads.hpp).
#include <oneapi/tbb/concurrent_queue.h>

#include "threads.hpp"

namespace {

class Queue {
 public:
  Queue() { queue_.set_capacity(2048); }  // as our rings
  void push(void* value) { queue_.push(value); }
  void* pop() {
    void* got = nullptr;
    queue_.pop(got);
    return got;
  }

 private:
  tbb::concurrent_bounded_queue<void*> queue_;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_onetbb", [](const std::string& folder) { peer::answer_all(folder, 0, peer::measures_of<Queue>()); });
}
