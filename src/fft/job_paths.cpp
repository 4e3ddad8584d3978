// SPDX-License-Identifier: Apache-2.0
#include "fft/job_paths.hpp"

#include <algorithm>

namespace octavo::fft {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& path) {
  std::error_code failed;
  const auto whole = fs::absolute(path).lexically_normal();
  auto found = fs::weakly_canonical(whole, failed);
  return failed ? whole : found;
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  auto [end, ignored] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

}  // namespace octavo::fft
