// SPDX-License-Identifier: Apache-2.0
// usage: programs_maker HOME: makes the objects, and calls none of them.
#include <iostream>

#include "system/programs/things.hpp"

using namespace programs;

int main(int argc, char** argv) {
  const ov::Runtime runtime(argc, argv, {.home = argc > 1 ? argv[1] : ""});
  try {
    ov::save(ov::named("numbers").make<double[]>(8));
    ov::save(ov::named("counts").make<int[]>(8));
    ov::save(ov::named("texts").make<std::string[]>(2));
    ov::save(ov::named("points").make<std::vector<Point>[]>(2));
    ov::save(ov::named("pointers").make<ov::remote_ptr<int[]>[]>(2));
    ov::save(ov::named("vector").make<std::vector<double>>(2u, 1.5));
    ov::save(ov::named("deque").make<std::deque<int>>());
    ov::save(ov::named("string").make<std::string>("remote"));
    ov::save(ov::named("ages").make<Ages>());
    ov::save(ov::named("names").make<Names>());
    ov::save(ov::named("owned").make<std::vector<std::unique_ptr<int>>>());
  } catch (const ov::error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
