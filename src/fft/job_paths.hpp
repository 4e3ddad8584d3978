// SPDX-License-Identifier: Apache-2.0
// Whether the paths of a job's arrays are apart from each other.
#pragma once

#include <filesystem>
#include <string>

namespace octavo::fft {

// Without links, as far as there is something to look at.
std::filesystem::path real_path(const std::filesystem::path& path);
// The same path, or one below it.
bool is_within(const std::filesystem::path& inner, const std::filesystem::path& outer);

}  // namespace octavo::fft
