// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <octavo/process.hpp>
#include <string>

using namespace std::chrono_literals;

class Circle {
 public:
  double area() const { return 3; }
  std::string name() const { return "circle"; }
  void step() {}
};
OCTAVO_REMOTE(Circle, area, name, step)
void go_on();
std::vector<octavo::future<double>> begin();

void sample(const octavo::remote_ptr<Circle>& p, const octavo::remote_ptr<Circle>& q) {
  auto futures = begin(), three = begin();
  // sample 2
  futures = begin();
  // sample
}
