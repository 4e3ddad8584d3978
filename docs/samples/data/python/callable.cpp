// SPDX-License-Identifier: Apache-2.0
#include <octavo/python.hpp>
#include <vector>

// sample

double Part::share() { return 1; }
void Part::set(const std::vector<double>& /*x*/) {}
octavo::ArrayPage Part::field() const { return octavo::ArrayPage::make_private(octavo::dtype::float32, {2, 3}); }

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  octavo::python::object part = octavo::process.make<Part>();
  part.call("set", std::vector<double>{1, 2});
  return part.call<double>("share") == 1 && part.call<octavo::ArrayPage>("field").shape() == octavo::Shape{2, 3} ? 0 : 1;
}
