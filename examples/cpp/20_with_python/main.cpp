// SPDX-License-Identifier: Apache-2.0
// A mean over a group, of which any member may be an object of Python: examples/python/20_with_python is the same program.
//
//   main                       a group of two objects that it makes
//   main offer home/part       makes one with a name, for the program in Python: main.py ov://home/part
//   main ov://home/python      a group of one that it makes, and of that, which main.py offers
#include <functional>
#include <iostream>
#include <octavo/python.hpp>
#include <string>
#include <vector>

namespace ov = octavo;

class Part {
 public:
  std::vector<double> mean(std::vector<double> x) {
    auto me = ov::python::self();
    x = me.all_reduce(std::move(x), std::plus<>());
    for (double& each : x) each /= static_cast<double>(me.size());
    return x;
  }
  std::int64_t rows_before(std::int64_t mine) { return ov::python::self().exclusive_scan(mine, 0, std::plus<>()); }
  template <class Archive>
  void serialize(Archive&) {}
};
OCTAVO_PYTHON(Part, mean, rows_before)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2) {
    ov::named(words[1]).make<Part>();
    return 0;
  }
  const ov::scoped<Part> mine(ov::process.make<Part>()), spare(ov::process.make<Part>());
  const ov::python::object other = words.empty() ? ov::python::object(spare.get()) : ov::python::open(words[0]);
  ov::python::group g(mine.get(), other);
  using Row = std::vector<double>;
  for (const auto& mean : g.call<Row>("mean", ov::each(std::vector<Row>{{0, 2}, {2, 4}}))) std::cout << mean[0] << " " << mean[1] << "\n";
  for (const auto before : g.call<std::int64_t>("rows_before", 10)) std::cout << "rows before: " << before << "\n";
}
