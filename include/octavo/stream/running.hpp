// SPDX-License-Identifier: Apache-2.0
// A stream that was started: octavo::start(pipeline).
//
//   octavo::RunningStream soon = octavo::start(s);
//   soon.cancel();                                   // its stages are told; what they have begun they finish
//   octavo::StreamReport r = soon.get();             // waits; throws what a stage threw, or octavo::cancelled
//   soon.report();                                   // also after an error
//
// Its end cancels it, and waits for its threads. Threading: cancel() and is_done() by any thread, all else by one.
#pragma once

#include <memory>

#include "octavo/stream/report.hpp"

namespace octavo {

namespace stream {
class Run;
}

class [[nodiscard]] RunningStream {
 public:
  RunningStream(std::unique_ptr<stream::Run> run, std::shared_ptr<void> description);
  RunningStream(RunningStream&&) noexcept;
  RunningStream& operator=(RunningStream&&) noexcept;
  ~RunningStream();

  // False: it has ended already.
  bool cancel() noexcept;
  [[nodiscard]] bool is_done() const noexcept;
  StreamReport get();
  // Waits, and throws nothing.
  [[nodiscard]] StreamReport report();

 private:
  std::shared_ptr<void> description_;
  std::unique_ptr<stream::Run> run_;
};

}  // namespace octavo
