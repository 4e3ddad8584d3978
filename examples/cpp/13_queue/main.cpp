// SPDX-License-Identifier: Apache-2.0
// A queue of jobs for workers in processes of their own: each job goes to one that is free. One worker dies of its job; the others go on, and the program hears
// of it.
#include <unistd.h>

#include <iostream>
#include <octavo/message.hpp>
#include <vector>

namespace ov = octavo;

class Worker {
 public:
  explicit Worker(ov::Queue<int> jobs) : jobs_(std::move(jobs)) {}

  long run(const ov::Barrier& all_here) {
    all_here.wait();
    long sum = 0;
    try {
      for (;;) {
        const int job = jobs_.get();
        if (job < 0) ::_exit(1);
        sum += job;
        jobs_.task_done();
      }
    } catch (const ov::queue_shut_down&) {  // nothing is left
      return sum;
    }
  }

 private:
  ov::Queue<int> jobs_;
};
OCTAVO_REMOTE(Worker, run)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv);
  ov::Queue<int> jobs(8);  // from then on a put waits
  const ov::Barrier all_here("all here", 4);
  std::vector<ov::future<long>> running;
  for (int i = 0; i < 4; ++i) running.push_back(ov::start(ov::process.make<Worker>(jobs))->run(all_here));
  for (int job = 1; job <= 100; ++job) jobs.put(job);
  jobs.join();  // all are worked off

  jobs.put(-1);
  try {
    jobs.join();
  } catch (const ov::process_died& e) {
    std::cout << "a " << e.obituary().facts.class_name << " died with what it had taken\n";
  }
  for (int job = 101; job <= 200; ++job) jobs.put(job);
  jobs.shutdown();
  long sum = 0;
  int died = 0;
  for (auto& each : running) try {
      sum += each.get();
    } catch (const ov::process_died&) {
      ++died;
    }
  std::cout << died << " died, the others went on: " << (sum > 100 ? "yes" : "no") << "\n";
}
