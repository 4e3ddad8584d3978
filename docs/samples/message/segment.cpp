// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <octavo/message.hpp>

class Filler {
 public:
  void fill(octavo::Segment<double> with) { with[0] = 1; }
};
OCTAVO_REMOTE(Filler, fill)

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv, {.engine = octavo::played({"box"})});
  auto object = octavo::process.make<Filler>();
  auto far = runtime.machine("box").make<Filler>();
  // sample
  return own[0] == 1 && heat[17] == 0.5 && heat[0] == 0 ? 0 : 1;
}
