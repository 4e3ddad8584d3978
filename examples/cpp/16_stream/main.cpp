// SPDX-License-Identifier: Apache-2.0
// A stream of images through two filters: the same text with its stages on threads, in processes and on machines.
#include <algorithm>
#include <iostream>
#include <octavo/stream.hpp>
#include <optional>
#include <vector>

namespace ov = octavo;

using Image = std::vector<float>;

struct Blur {
  explicit Blur(int radius) : radius_(radius) {}
  Image svc(const Image& in) const {
    Image out(in.size());
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
      const int from = std::max(0, i - radius_), to = std::min(static_cast<int>(in.size()) - 1, i + radius_);
      float sum = 0;
      for (int j = from; j <= to; ++j) sum += in[j];
      out[i] = sum / static_cast<float>(to - from + 1);
    }
    return out;
  }

 private:
  int radius_;
};

struct Emboss {
  void svc(Image image, ov::emit<Image>& out) const {
    for (std::size_t i = image.size() - 1; i > 0; --i) image[i] -= image[i - 1];
    if (image[1] != 0) out(std::move(image));  // an image without edges is left out
  }
};

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"node1", "node2"})});
  const auto node1 = runtime.machine("node1"), node2 = runtime.machine("node2");
  for (const std::vector<ov::Place>& places : {std::vector<ov::Place>{ov::thread}, {ov::process}, {node1, node2}}) {
    int next = 0;
    const auto source = [&]() -> std::optional<Image> {
      if (next == 6) return std::nullopt;
      Image image(64, 0);
      image[0] = static_cast<float>(next++ % 3);
      return image;
    };
    const auto s =
        ov::pipeline(source, ov::farm<Blur>(3).workers(2).on(places), ov::stage<Emboss>().on(places), [](const Image& done) { std::cout << done[0] << " "; });
    const ov::StreamReport report = s.run();
    for (const auto& stage : report.stages) std::cout << "| " << stage.name << " on " << stage.place << ": " << stage.taken << " -> " << stage.given << " ";
    std::cout << "\n";
  }

  const auto numbers = [n = 0]() mutable -> std::optional<int> { return n++; };  // endless
  for (int x : ov::pipeline(numbers, ov::farm([](int n) { return n * n; }))) {
    if (x > 50) break;  // ends all stages
    std::cout << x << " ";
  }
  std::cout << "\n";
}
