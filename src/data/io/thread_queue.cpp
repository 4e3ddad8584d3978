// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/start_thread.hpp"
#include "data/io/queue.hpp"

namespace octavo {

namespace {

class ThreadQueue final : public DiskQueue {
 public:
  ThreadQueue(int threads, Fault fault) : fault_(std::move(fault)) {
    try {
      for (int i = 0; i < threads; ++i) threads_.push_back(start_thread("for a disk", [this] { serve(); }));
    } catch (const error&) {
      if (threads_.empty()) throw;  // else those that there are do it
    }
  }

  ~ThreadQueue() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void submit(const Transfer& transfer) override {
    Job job{transfer, {}};
    if (fault_) job.fault = fault_(transfer, submitted_++);
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(job);
    }
    work_.notify_one();
  }

  void flush() override {}

  void wait(std::vector<Completion>& completed) override {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return woken_ || !completed_.empty(); });
    woken_ = false;
    completed.insert(completed.end(), completed_.begin(), completed_.end());
    completed_.clear();
  }

  void wake() override {
    {
      std::lock_guard lock(mutex_);
      woken_ = true;
    }
    news_.notify_one();
  }

 private:
  struct Job {
    Transfer transfer;
    std::optional<std::int64_t> fault;
  };

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      std::int64_t result = run(job);
      lock.lock();
      completed_.push_back({job.transfer.tag, result});
      news_.notify_one();
    }
  }

  static std::int64_t run(const Job& job) {
    const Transfer& transfer = job.transfer;
    auto length = static_cast<std::size_t>(transfer.length);
    if (job.fault) {
      if (*job.fault <= 0) return *job.fault;
      length = std::min(length, static_cast<std::size_t>(*job.fault));
    }
    ssize_t moved =
        transfer.writing ? ::pwrite(transfer.file, transfer.memory, length, transfer.offset) : ::pread(transfer.file, transfer.memory, length, transfer.offset);
    return moved < 0 ? -errno : moved;
  }

  Fault fault_;
  std::int64_t submitted_ = 0;
  std::mutex mutex_;
  std::condition_variable work_, news_;
  std::deque<Job> jobs_;
  std::vector<Completion> completed_;
  bool stopping_ = false, woken_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace

std::unique_ptr<DiskQueue> make_thread_queue(int threads, Fault fault) { return std::make_unique<ThreadQueue>(threads, std::move(fault)); }

}  // namespace octavo
