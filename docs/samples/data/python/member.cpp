// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <octavo/python.hpp>
#include <vector>

class Part {
 public:
  explicit Part(double x) : x_(x) {}
  double share();

 private:
  double x_;
  std::vector<double> field_{1, 2};
};
OCTAVO_PYTHON(Part, share)

// sample

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  octavo::python::group g(octavo::process.make<Part>(1.0), octavo::process.make<Part>(3.0));
  return g.call<double>("share") == std::vector<double>{0.25, 0.75} ? 0 : 1;
}
