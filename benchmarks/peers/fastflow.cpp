// SPDX-License-Identifier: Apache-2.0
// FastFlow's bounded queue of pointers between two threads (threads.hpp). Its headers are not ours: `./dev bench message --fastflow DIR` compiles this with
// the folder that has ff/buffer.hpp.
#include <ff/buffer.hpp>

#include "threads.hpp"

namespace {

template <class Buffer>
class Queue {
 public:
  Queue() : buffer_(2048) {  // as our rings
    if (!buffer_.init()) throw std::runtime_error("FastFlow's buffer has no memory");
  }
  void push(void* value) {
    while (!buffer_.push(value)) {}
  }
  void* pop() {
    void* got = nullptr;
    while (!buffer_.pop(&got)) {}
    return got;
  }

 private:
  Buffer buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_fastflow",
                       [](const std::string& folder) { peer::answer_all(folder, 0, peer::measures_of<Queue<ff::SWSR_Ptr_Buffer>>()); });
}
