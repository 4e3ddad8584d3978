// SPDX-License-Identifier: Apache-2.0
// How a run stands, for a source or a sink that waits for something elsewhere, or tells others how it ended.
// Threading: any.
#pragma once

#include <exception>

namespace octavo::stream {

class Standing {
 public:
  [[nodiscard]] virtual bool is_cancelled() const noexcept = 0;
  // What it ends with, as far as is known: null, if all is well.
  [[nodiscard]] virtual std::exception_ptr error() const = 0;

 protected:
  ~Standing() = default;
};

}  // namespace octavo::stream
