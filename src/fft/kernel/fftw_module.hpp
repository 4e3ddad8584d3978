// SPDX-License-Identifier: Apache-2.0
// What liboctavo wants of liboctavo-fftw.so when a process makes its first plan (base/module.hpp).
#pragma once

#include "octavo/fft/kernel.hpp"

namespace octavo::fft {

struct FftwModule {
  const Kernel& (*kernel)();
};

}  // namespace octavo::fft

extern "C" const octavo::fft::FftwModule octavo_fftw_module;
