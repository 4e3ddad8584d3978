// SPDX-License-Identifier: Apache-2.0
#include <octavo/message.hpp>
#include <vector>

struct Job {
  int number = 0;
};
void work(const Job&) {}

class Worker {
 public:
  void run(const octavo::Queue<Job>& jobs) {
    try {
      for (;;) {
        work(jobs.get());
        jobs.task_done();
      }
    } catch (const octavo::queue_shut_down&) {}
  }
};
OCTAVO_REMOTE(Worker, run)

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  std::vector<octavo::remote_ptr<Worker>> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(octavo::process.make<Worker>());
  std::vector<octavo::future<void>> running;
  const std::vector<Job> all(20);
  // sample
  for (auto& each : running) each.get();
}
