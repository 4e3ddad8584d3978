// SPDX-License-Identifier: Apache-2.0
// C++ members of groups in which there are Python objects: tests/python/objects/groups/test_groups_cpp.py.
//
//   programs_part HOME make NAME...        makes objects with these names, for programs of Python
//   programs_part HOME call NAME           makes one, and a group of it and of the Python object NAME, which it calls
#include <csignal>
#include <functional>
#include <iostream>
#include <octavo/group.hpp>
#include <octavo/python.hpp>

namespace ov = octavo;

namespace {
ov::python::member here() { return ov::python::self(); }
}  // namespace

struct Part {
  // Each of them is called at all members, in C++ and in Python (mixed_classes.py).
  std::int64_t place() { return static_cast<std::int64_t>(here().index() * 10 + here().size()); }
  void meet() { here().barrier(); }
  double total(double x) { return here().all_reduce(x, std::plus<>()); }
  std::int64_t greatest(std::int64_t x) {
    return here().all_reduce(x, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  std::string joined(const std::string& x) { return here().all_reduce(x, std::plus<>()); }
  std::vector<double> sum(std::vector<double> x) { return here().all_reduce(std::move(x), std::plus<>()); }
  ov::ArrayPage sum_field(ov::ArrayPage x) { return here().all_reduce(std::move(x), std::plus<>()); }
  double total_there(double x, std::int64_t root) { return here().reduce(x, std::plus<>(), static_cast<std::size_t>(root)).value_or(-1); }
  std::vector<std::int32_t> sum_there(std::vector<std::int32_t> x, std::int64_t root) {
    return here().reduce(std::move(x), std::plus<>(), static_cast<std::size_t>(root)).value_or(std::vector<std::int32_t>());
  }
  double told(double x, std::int64_t root) { return here().broadcast(x, static_cast<std::size_t>(root)); }
  ov::ArrayPage told_field(ov::ArrayPage x, std::int64_t root) { return here().broadcast(x, static_cast<std::size_t>(root)); }
  std::vector<double> dealt(const std::vector<std::vector<double>>& x, std::int64_t root) { return here().scatter(x, static_cast<std::size_t>(root)); }
  std::vector<double> gathered(double x, std::int64_t root) { return here().gather(x, static_cast<std::size_t>(root)); }
  std::vector<std::vector<double>> all_gathered(const std::vector<double>& x) { return here().all_gather(x); }
  double up_to(double x) { return here().scan(x, std::plus<>()); }
  std::vector<double> fields_up_to(const std::vector<double>& x) { return here().scan(x, std::plus<>()); }
  std::int64_t before(std::int64_t x, std::int64_t init) { return here().exclusive_scan(x, init, std::plus<>()); }
  std::vector<std::vector<double>> exchanged(const std::vector<std::vector<double>>& x) { return here().all_to_all(x); }
  double total_of_part(double x, std::int64_t color) { return here().split(color).all_reduce(x, std::plus<>()); }
  double plainly(double x) { return ov::self<Part>().all_reduce(x, std::plus<>()); }
  double fails(double x) {
    if (x < 0) throw std::runtime_error("no negative numbers");
    return here().all_reduce(x, std::plus<>());
  }
  void crash() { std::raise(SIGKILL); }
  ov::future<double> later(double x) { co_return x + 1; }
  double asked(const ov::python::object& other, double x) { return other.call<double>("twice", x); }
  template <class Archive>
  void serialize(Archive&) {}
};
OCTAVO_PYTHON(Part, place, meet, total, greatest, joined, sum, sum_field, total_there, sum_there, told, told_field, dealt, gathered, all_gathered, up_to,
              fields_up_to, before, exchanged, total_of_part, plainly, fails, crash, later, asked)

namespace {

void call(const std::string& name) {
  auto part = ov::named("home/of_cpp").make<Part>();
  auto other = ov::python::open("ov://" + name);
  std::cout << other.call<double>("twice", 1.5) << "\n";
  ov::python::group g(part, other);
  for (const double each : g.call<double>("total", ov::each(std::vector<double>{1, 2}))) std::cout << each << "\n";
  for (const auto& each : g.call<std::vector<double>>("sum", std::vector<double>{1, 2})) std::cout << each.at(0) << " " << each.at(1) << "\n";
  g.call("meet");
  g.barrier();
  try {
    g.call<double>("fails", ov::each(std::vector<double>{1, -1}));
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
  try {
    (void)g.call<std::string>("total", 1);
  } catch (const ov::usage_error& e) {
    std::cout << e.what() << "\n";
  }
  ov::destroy(part);
}

}  // namespace

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.home = argv[1]});
  const std::string doing = argv[2];
  for (int i = 3; i < argc; ++i) {
    if (doing == "make") (void)ov::named(argv[i]).make<Part>();
    else call(argv[i]);
  }
}
