// SPDX-License-Identifier: Apache-2.0
// The processes of a job, by what they do in it, and what they tell when it is done. Under the Runtime they live in.
#pragma once

#include <string>
#include <vector>

#include "octavo/fft/job.hpp"
#include "octavo/fft/transform.hpp"

namespace octavo::fft {

// Refuses a timeline that cannot be written, that would replace what is not to be overwritten, or that would be in an array of the job.
void check_timeline_of(const JobOptions& options);

class JobProcesses {
 public:
  // The devices of an array that is the job's `role`: those that the job made, and those that were there before and stay.
  void add_made(const std::string& role, const Array& array) { add(role, array, true); }
  void add_given(const std::string& role, const Array& array) { add(role, array, false); }
  void add_making(future<remote_ptr<Transform>> transform) { making_.push_back(std::move(transform)); }
  // Waits until each is made, or has failed; then throws the first failure.
  void all_made();
  // In a Runtime that goes on, those that the job made. One that cannot be reached ends with it.
  void destroy() noexcept;
  void clear() noexcept;

  [[nodiscard]] const std::vector<remote_ptr<Transform>>& transforms() const noexcept { return transforms_; }

  // Sums of what each tells go into the report, of given devices what they did since they were added.
  void report(JobReport& report) const;
  [[nodiscard]] std::vector<ProcessTimeline> timelines() const;

 private:
  struct Device {
    std::string name;
    remote_ptr<PageDevice> device;
    bool made;
    DeviceCounters before;
    std::int64_t since;  // nanoseconds of steady_clock
  };
  void add(const std::string& role, const Array& array, bool made);
  [[nodiscard]] std::string name_of_transform(std::size_t number) const;
  std::vector<Device> devices_;
  std::vector<future<remote_ptr<Transform>>> making_;
  std::vector<remote_ptr<Transform>> transforms_;
};

}  // namespace octavo::fft
