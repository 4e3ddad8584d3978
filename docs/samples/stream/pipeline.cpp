// SPDX-License-Identifier: Apache-2.0
#include <octavo/stream.hpp>
#include <optional>
#include <vector>

struct Image {};
struct Blur {
  explicit Blur(int /*radius*/) {}
  Image svc(Image in) { return in; }
};
struct Emboss {
  Image svc(Image in) { return in; }
};
std::optional<Image> next_file();
void save(const Image& image);
bool good(const Image& image);

void sample(std::vector<Image> files) {
  // sample
}
