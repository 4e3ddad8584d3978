// SPDX-License-Identifier: Apache-2.0
#include <octavo/stream.hpp>

struct Image {};
struct Task {
  int run() const { return 1; }
};
// sample 1
inline Image Blur::svc(Image in) { return in; }
inline Blur::Blur(int /*radius*/) {}

void sample(const octavo::Machine& node1, const octavo::Machine& node2) {
  (void)(
      // sample 1
  );
  (void)(
      // sample 1
  );
  (void)(
      // sample 1
  );
}
