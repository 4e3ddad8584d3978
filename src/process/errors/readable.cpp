// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

std::string readable(const char* mangled) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return text ? text.get() : mangled;
}

}  // namespace octavo::detail
