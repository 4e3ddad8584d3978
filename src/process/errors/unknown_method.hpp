// SPDX-License-Identifier: Apache-2.0
// A call of a method that the callee's program does not have. The callee knows the method's hash only: the name is put in where the error arrives, since
// the caller's program has the method.
#pragma once

#include <cstdint>
#include <string>

#include "octavo/base/error.hpp"

namespace octavo::detail {

class UnknownMethod : public usage_error {
 public:
  struct Facts {
    std::uint64_t hash = 0;
    std::string method;   // empty: not known here
    std::string program;  // of the callee
    std::uint32_t build = 0, callers_build = 0;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(hash, method, program, build, callers_build);
    }
  };
  explicit UnknownMethod(const Facts& facts);
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }

 private:
  Facts facts_;
};

}  // namespace octavo::detail
