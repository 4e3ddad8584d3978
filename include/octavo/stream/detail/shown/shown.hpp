// SPDX-License-Identifier: Apache-2.0
// A stream that runs, as other processes see it: memory of its own, which they find and read (stream/status.hpp), gone with it however it ends.
//
//   Shown shown({{part::stage, "Blur", "thread", 2, 2}});
//   Counters* mine = shown.counters(0);                    // of its workers, as many as it has lines
//   shown.hide();                                          // by any thread; the counters stay
//
// Threading: each line of counters by one thread at a time; end() when nobody hides. Failure: bad_alloc; where there is no descriptor, it is not seen.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "octavo/stream/detail/shown/counters.hpp"

namespace octavo::stream {

enum class part : std::uint8_t { source, dealer, stage, sink };  // a sink is who takes the results, also a loop that reads them

struct ShownPart {
  part what = part::stage;
  std::string name = {}, place = {};
  std::size_t workers = 1, lines = 1;
};

class Shown {
 public:
  explicit Shown(const std::vector<ShownPart>& parts);
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown();
  [[nodiscard]] Counters* counters(std::size_t part) const noexcept { return lines_.at(part); }
  // It has ended.
  void hide() noexcept;
  // So has all that shows it.
  void end() noexcept;

 private:
  struct Memory;
  const std::unique_ptr<Memory> memory_;
  std::vector<Counters*> lines_;
};

}  // namespace octavo::stream
