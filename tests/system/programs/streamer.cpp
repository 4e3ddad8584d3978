// SPDX-License-Identifier: Apache-2.0
// usage: programs_streamer HOME: a stream from one mailbox of the home to another, whose items are halved.
// tests/python/streams/test_stream_boxes.py is the other side.
#include <iostream>

#include "octavo/message.hpp"
#include "octavo/stream.hpp"

int main(int argc, char** argv) {
  namespace ov = octavo;
  const ov::Runtime runtime(argc, argv, {.home = argc > 1 ? argv[1] : ""});
  try {
    ov::pipeline(ov::StreamBox<double>("ov://home/numbers"), ov::farm([](double x) { return x / 2; }).workers(2), ov::StreamBox<double>("ov://home/halves"))
        .run();
  } catch (const ov::error& e) {
    std::cout << e.what() << "\n";
  }
}
