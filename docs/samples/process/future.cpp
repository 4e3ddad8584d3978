// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/process.hpp>
#include <string>

using namespace std::chrono_literals;

class Circle {
 public:
  double area() const { return 3; }
};
OCTAVO_REMOTE(Circle, area)
class Device {
 public:
  octavo::future<int> read();
  void queue(octavo::promise<int> p) { p.set_value(1); }
};
class Stage {
 public:
  octavo::future<int> work();
  octavo::future<int> other_call;
};
void give_up();

void sample(const octavo::remote_ptr<Circle>& p) {
  // sample 3
}
// sample
