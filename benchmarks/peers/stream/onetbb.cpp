// SPDX-License-Identifier: Apache-2.0
// oneTBB's parallel_pipeline: items a second.
//
//   pipe 0 COUNT                                 three serial filters, one thread, which is its best here
//   farm NANOSECONDS COUNT, farm_ordered ...     serial, parallel, serial (in order or not), two threads, 64 tokens
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include "../answering.hpp"
#include "work.hpp"

namespace {

using Item = std::uint64_t;

double run(const peer::Request& request, std::size_t threads, tbb::filter_mode middle, tbb::filter_mode last) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  const auto steps = work::steps_of(request.bytes);
  long left = request.count;
  Item sum = 0;
  const auto begin = peer::Clock::now();
  tbb::parallel_pipeline(64, tbb::make_filter<void, Item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Item {
                               if (left == 0) {
                                 flow.stop();
                                 return 0;
                               }
                               return static_cast<Item>(left--);
                             }) & tbb::make_filter<Item, Item>(middle, [steps](Item item) {
                               return work::chain(item, steps);
                             }) & tbb::make_filter<Item, void>(last, [&sum](Item item) { sum += item; }));
  const double seconds = peer::seconds_since(begin);
  volatile Item sink = sum;
  (void)sink;
  return static_cast<double>(request.count) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  using mode = tbb::filter_mode;
  return peer::main_of(argc, argv, "peer_onetbb_stream", [](const std::string& folder) {
    peer::answer_all(folder, 0,
                     {{"pipe", [](const peer::Request& request) { return run(request, 1, mode::serial_in_order, mode::serial_in_order); }},
                      {"farm", [](const peer::Request& request) { return run(request, 2, mode::parallel, mode::serial_out_of_order); }},
                      {"farm_ordered", [](const peer::Request& request) { return run(request, 2, mode::parallel, mode::serial_in_order); }}});
  });
}
