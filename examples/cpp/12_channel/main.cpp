// SPDX-License-Identifier: Apache-2.0
// Two workers joined by channels: the first makes samples, the second means of them, the program prints these.
#include <iostream>
#include <octavo/message.hpp>
#include <vector>

namespace ov = octavo;

using Samples = std::vector<double>;

class Source {
 public:
  // Each end belongs to whom it was passed to.
  void run(int count, ov::ChannelWriter<Samples> out) {
    for (int i = 1; i <= count; ++i) out.post(Samples(1000, i));
  }  // the writer ends, and so closes the channel
};
OCTAVO_REMOTE(Source, run)

class Means {
 public:
  void run(ov::ChannelReader<Samples> in, ov::ChannelWriter<double> out) {
    while (auto samples = in.retrieve()) {  // until the channel is at its end
      double sum = 0;
      for (double each : *samples) sum += each;
      out.post(sum / static_cast<double>(samples->size()));
    }
  }
};
OCTAVO_REMOTE(Means, run)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"node1", "node2"})});
  auto source = runtime.machine("node1").make<Source>();
  auto means = runtime.machine("node2").make<Means>();

  auto [samples_out, samples_in] = ov::channel<Samples>({.messages = 8});  // from then on a post waits
  auto [means_out, means_in] = ov::channel<double>();
  auto made = ov::start(source)->run(5, std::move(samples_out));
  auto done = ov::start(means)->run(std::move(samples_in), std::move(means_out));
  while (auto mean = means_in.retrieve()) std::cout << "mean " << *mean << "\n";
  made.get();
  done.get();

  auto [out, in] = ov::channel<Samples>({.messages = 8});
  auto endless = ov::start(source)->run(1'000'000, std::move(out));
  std::cout << "the first of very many: " << in.retrieve()->front() << "\n";
  in.cancel();  // the writer's next post says so
  try {
    endless.get();
  } catch (const ov::channel_cancelled&) {
    std::cout << "the source was told\n";
  }
}
