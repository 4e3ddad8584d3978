// SPDX-License-Identifier: Apache-2.0
// One run of a stream: its belts, its crews (the workers of a stage) and their threads, and what became of it.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "octavo/stream/detail/belt.hpp"
#include "octavo/stream/detail/joint/standing.hpp"
#include "octavo/stream/detail/shown/shown.hpp"
#include "octavo/stream/report.hpp"

namespace octavo::stream {

// The workers of one stage, or the source, or the sink.
class Crew {
 public:
  // An item of its input has so many numbers: one for each worker that has a part of it.
  Crew(StageSettings settings, std::size_t workers, std::uint64_t numbers = 1);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  virtual ~Crew() = default;

  // One worker, from its first item to its last. Throws nothing.
  void run(std::size_t worker) noexcept;
  [[nodiscard]] std::size_t workers() const noexcept { return at_.size(); }
  [[nodiscard]] const StageSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] StageReport report() const;
  [[nodiscard]] std::uint64_t failed_item() const noexcept { return failed_item_ / numbers_; }
  [[nodiscard]] std::exception_ptr error() const;
  // In the report; one that only deals for the next one is not.
  [[nodiscard]] virtual bool is_seen() const noexcept { return true; }
  [[nodiscard]] ShownPart shown(part what) const;

 protected:
  virtual void work(std::size_t worker) = 0;
  // Before any crew works.
  virtual void open() {}
  // A worker has ended, one way or the other.
  virtual void leave(std::size_t /*worker*/) noexcept {}
  // A worker has failed: another one may wait for room behind the item that never comes, and is to leave.
  virtual void close_where_it_failed() noexcept {}
  // All workers have ended.
  virtual void close_output() noexcept = 0;
  [[nodiscard]] const Played* played() const noexcept { return played_; }
  [[nodiscard]] Counters& counters(std::size_t worker) noexcept { return counters_[worker]; }
  [[nodiscard]] const Standing& standing() const noexcept { return *run_; }
  // Of the item that a worker has now.
  void at_item(std::size_t worker, std::uint64_t number) noexcept { at_[worker].number = number; }
  // The lowest item at which a worker failed: an ordered farm gives all before it.
  [[nodiscard]] std::uint64_t fails_at() const noexcept { return fails_at_.load(std::memory_order_acquire); }

 private:
  struct alignas(64) At {
    std::uint64_t number = 0;
  };
  friend class Run;
  void failed(std::size_t worker) noexcept;

  const StageSettings settings_;
  const std::uint64_t numbers_;
  const Standing* run_ = nullptr;
  const Played* played_ = nullptr;
  std::function<void()> refuse_input_;  // nothing is wanted any more from the crews before this one
  Counters* counters_ = nullptr;        // of each worker, when the run has begun
  std::vector<At> at_;
  std::atomic<std::size_t> left_;  // so many workers have not ended
  std::atomic<std::uint64_t> fails_at_{BeltBase::endless};
  mutable std::mutex mutex_;
  std::exception_ptr error_;
  std::uint64_t failed_item_ = 0;
};

// Of what may run once at a time.
class RunsOnce {
 public:
  class Turn {
   public:
    explicit Turn(std::atomic<bool>& runs) : runs_(&runs) {}
    Turn(Turn&& other) noexcept : runs_(std::exchange(other.runs_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() { end(); }
    void end() noexcept {
      if (auto* runs = std::exchange(runs_, nullptr)) runs->store(false, std::memory_order_release);
    }

   private:
    std::atomic<bool>* runs_;
  };
  // Throws usage_error where it runs already.
  [[nodiscard]] Turn begin();

 private:
  std::atomic<bool> runs_{false};
};

class Run final : public Standing {
 public:
  explicit Run(RunsOnce::Turn turn) : turn_(std::move(turn)) {}
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // That lies before a stage of these settings, and is written by so many.
  template <class T>
  std::shared_ptr<Belt<T>> add_belt(const StageSettings& settings, std::size_t writers) {
    auto belt = belt_of<T>(settings);
    if (writers == 1) belt->one_writes();
    gaps_.push_back({{belt}, false});
    return belt;
  }
  // One for each of its workers.
  template <class T>
  std::vector<std::shared_ptr<Belt<T>>> add_lanes(const StageSettings& settings) {
    std::vector<std::shared_ptr<Belt<T>>> lanes(workers_of(settings));
    for (auto& each : lanes) {
      each = belt_of<T>(settings);
      each->one_writes();  // the thread that deals
    }
    gaps_.push_back({{lanes.begin(), lanes.end()}, true});
    return lanes;
  }
  // The crews and what lies between them are added in the order of the stream.
  void add(std::unique_ptr<Crew> crew);
  // Before it begins.
  void play(Played& by) noexcept { played_ = &by; }
  // All crews but the last one begin; or that, too.
  void begin(bool last_too);
  // The last one, in this thread.
  void work_here();
  // False: all has ended already.
  bool cancel() noexcept;
  void join() noexcept;
  // What a stage threw, or cancelled.
  [[nodiscard]] std::exception_ptr error() const override;
  [[nodiscard]] bool is_cancelled() const noexcept override { return cancelled_.load(std::memory_order_acquire); }
  // When all have ended.
  void raise() const {
    if (const auto why = error()) std::rethrow_exception(why);
  }
  [[nodiscard]] StreamReport report() const;
  [[nodiscard]] bool is_done() const noexcept { return running_.load(std::memory_order_acquire) == 0; }
  // Of the thread that reads the stream, where that is no crew.
  [[nodiscard]] Counters& reader() noexcept { return *shown_->counters(crews_.size()); }
  bool has_sink = false;  // the last crew is one

 private:
  // What lies between two crews.
  struct Gap {
    std::vector<std::shared_ptr<BeltBase>> belts;
    bool are_lanes;
  };
  template <class T>
  static std::shared_ptr<Belt<T>> belt_of(const StageSettings& settings) {
    if (!settings.unbounded) return std::make_shared<Belt<T>>(checked(settings.bound));
    const StreamBound ring{.items = StreamBound().items, .bytes = BeltBase::endless / 2};
    return std::make_shared<Belt<T>>(ring, std::make_unique<Aside<T>>(settings.name, settings.bound.bytes));
  }
  void start(Crew& crew);
  void refuse_input_of(std::size_t crew) noexcept;
  void show();
  void has_ended() noexcept;

  RunsOnce::Turn turn_;
  std::vector<Gap> gaps_;                     // behind each crew, in its order
  std::vector<std::unique_ptr<Crew>> crews_;  // the source first
  std::unique_ptr<Shown> shown_;
  Played* played_ = nullptr;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> running_{0};
  std::atomic<bool> cancelled_{false};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

// How many threads there are cores for.
[[nodiscard]] std::size_t cores() noexcept;

}  // namespace octavo::stream
