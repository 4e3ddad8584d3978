// SPDX-License-Identifier: Apache-2.0
// The one file that picks the kernel.
#include "fft/kernel/choose.hpp"

#include <string>

#include "base/module.hpp"
#include "fft/kernel/fftw_module.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace {
using Getter = const Kernel& (*)();
constexpr Getter built[] = {
#ifdef OCTAVO_HAVE_FFTW
    fftw_kernel,
#endif
#ifdef OCTAVO_HAVE_KISSFFT
    kissfft_kernel,
#endif
};
}  // namespace

const Kernel& fftw_kernel() {
  static const auto& loaded = module_of<FftwModule>("fftw", "Install FFTW 3 (Debian: libfftw3-double3 and libfftw3-single3)");
  return loaded.kernel();
}

const Kernel& default_kernel() { return built[0](); }

int kernel_count() { return static_cast<int>(std::size(built)); }

const Kernel& kernel_at(int index) {
  if (index < 0 || index >= kernel_count())
    throw usage_error("there is no transform kernel " + std::to_string(index) + "; this build has " + std::to_string(kernel_count()));
  return built[index]();
}

}  // namespace octavo::fft
