// SPDX-License-Identifier: Apache-2.0
// FastFlow's pipelines and farms of tasks that are integers cast to pointers: items a second, with the threads' beginning and end.
//
//   pipe 0 COUNT            three stages, its default: unbounded, spinning
//   pipe_bounded 0 COUNT    the same in its blocking mode, 2048 to a queue
//   farm NANOSECONDS COUNT, farm_ordered ...     two workers and a collector
//
// Its headers are not ours: `./dev bench stream --fastflow DIR` compiles this with the folder that has ff/ff.hpp.
#include <ff/ff.hpp>

#include "../answering.hpp"
#include "work.hpp"

namespace {

struct Source : ff::ff_node {
  explicit Source(long count) : left(count) {}
  void* svc(void*) override {
    for (; left > 0; --left) ff_send_out(reinterpret_cast<void*>(left));
    return EOS;
  }
  long left;
};
struct Pass : ff::ff_node {
  void* svc(void* task) override { return task; }
};
struct Sink : ff::ff_node {
  void* svc(void*) override { return GO_ON; }
};
struct Worker : ff::ff_node {
  explicit Worker(std::uint64_t of) : steps(of) {}
  void* svc(void* task) override {
    const auto value = work::chain(reinterpret_cast<std::uint64_t>(task), steps);
    return reinterpret_cast<void*>(value | 1 << 20);  // no special value
  }
  std::uint64_t steps;
};

double run(ff::ff_pipeline& pipe, long count) {
  const auto begin = peer::Clock::now();
  if (pipe.run_and_wait_end() < 0) throw std::runtime_error("FastFlow's pipeline failed");
  return static_cast<double>(count) / peer::seconds_since(begin);
}

double pipe_of(const peer::Request& request, bool bounded) {
  Source source(request.count);
  Pass pass;
  Sink sink;
  ff::ff_pipeline pipe(false, 2048, 2048, bounded);
  pipe.add_stage(&source);
  pipe.add_stage(&pass);
  pipe.add_stage(&sink);
  if (bounded) {
    pipe.setXNodeInputQueueLength(2048, true);
    pipe.blocking_mode(true);
  }
  return run(pipe, request.count);
}

template <class Farm>
double farm_of(const peer::Request& request) {
  Source source(request.count);
  Sink sink;
  const auto steps = work::steps_of(request.bytes);
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < 2; ++i) workers.push_back(std::make_unique<Worker>(steps));
  Farm farm(std::move(workers));
  ff::ff_pipeline pipe;
  pipe.add_stage(&source);
  pipe.add_stage(&farm);
  pipe.add_stage(&sink);
  pipe.blocking_mode(true);
  return run(pipe, request.count);
}

}  // namespace

int main(int argc, char** argv) {
  return peer::main_of(argc, argv, "peer_fastflow_stream", [](const std::string& folder) {
    peer::answer_all(folder, 0,
                     {{"pipe", [](const peer::Request& request) { return pipe_of(request, false); }},
                      {"pipe_bounded", [](const peer::Request& request) { return pipe_of(request, true); }},
                      {"farm", [](const peer::Request& request) { return farm_of<ff::ff_Farm<>>(request); }},
                      {"farm_ordered", [](const peer::Request& request) { return farm_of<ff::ff_OFarm<>>(request); }}});
  });
}
