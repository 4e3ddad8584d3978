// SPDX-License-Identifier: Apache-2.0
#include <octavo/stream.hpp>
#include <vector>

struct Image {
  int number = 0;
};
struct Blur {
  explicit Blur(int /*radius*/) {}
  Image svc(Image in) { return in; }
};
void save(const Image& image);

void sample(std::vector<Image> files) {
  // sample
}
