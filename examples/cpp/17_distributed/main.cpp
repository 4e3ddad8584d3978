// SPDX-License-Identifier: Apache-2.0
// Distributed arrays: the triad of STREAM, where nothing is moved; heat in a plate, by exchanges of borders; and all of it gathered in one place.
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

using Field = ov::DistributedArray<double>;

class Part {
 public:
  // a = b + s c: with each member's own elements.
  void triad(const Field& a, const Field& b, const Field& c, double s) {
    const auto x = a.local(), y = b.local(), z = c.local();
    for (std::int64_t i = 0; i < x.size(); i++) x(i) = y(i) + s * z(i);
  }
  // The upper edge is hot, the others let no heat through. Gives how hot the middle of that edge still is.
  double heat(std::int64_t n, int steps) {
    const auto me = ov::self<Part>();
    const auto rows = ov::Split::block({static_cast<std::int64_t>(me.size()), 1}).halo({1, 1});
    Field u({n, n}, rows, me.group()), next({n, n}, rows, me.group());
    if (me.index() == 0)
      for (std::int64_t j = 0; j < n; j++) u.local()(0, j) = 1000;
    for (int step = 0; step < steps; step++) {
      u.exchange_halo();
      const auto from = u.with_halo(), to = next.with_halo();
      for (std::int64_t i = 1; i + 1 < from.shape()[0]; i++)
        for (std::int64_t j = 1; j <= n; j++) to(i, j) = (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1)) / 4;
      std::swap(u, next);
    }
    const std::vector<double> all = u.gather(0);  // at member 0; elsewhere nothing
    return all.empty() ? 0 : all[static_cast<std::size_t>(n / 2)];
  }
};
OCTAVO_REMOTE(Part, triad, heat)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.memory = 256 * ov::MiB, .engine = ov::played({"machine0", "machine1"})});
  const std::vector<ov::Place> machines{runtime.machine("machine0"), runtime.machine("machine1")};
  const auto g = ov::make_group<Part>(machines, 4);
  const auto blocks = ov::Split::block({4});
  const Field a({1'000'000}, blocks, g), b({1'000'000}, blocks, g, 2), c({1'000'000}, blocks, g, 0.5);
  g->triad(a, b, c, 3);
  std::cout << "triad: each is " << a.min() << ", together " << a.sum() << "\n";
  std::cout << "heat at the middle of the edge: " << g->heat(64, 100)[0] << "\n";
  const std::vector<double> dealt = a.resplit(ov::Split::cyclic({4})).gather(0);
  std::cout << "gathered: " << dealt.size() << " elements, the last is " << dealt.back() << "\n";
}
