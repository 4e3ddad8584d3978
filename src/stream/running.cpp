// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/running.hpp"

#include "octavo/stream/detail/run.hpp"

namespace octavo {

RunningStream::RunningStream(std::unique_ptr<stream::Run> run, std::shared_ptr<void> description)
    : description_(std::move(description)), run_(std::move(run)) {}
RunningStream::RunningStream(RunningStream&&) noexcept = default;
RunningStream& RunningStream::operator=(RunningStream&& other) noexcept {
  if (this == &other) return *this;
  run_ = std::move(other.run_);  // ends before what it is made of
  description_ = std::move(other.description_);
  return *this;
}
RunningStream::~RunningStream() = default;

bool RunningStream::cancel() noexcept { return run_->cancel(); }
bool RunningStream::is_done() const noexcept { return run_->is_done(); }
StreamReport RunningStream::get() {
  run_->join();
  run_->raise();
  return run_->report();
}
StreamReport RunningStream::report() {
  run_->join();
  return run_->report();
}

}  // namespace octavo
