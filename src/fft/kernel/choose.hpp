// SPDX-License-Identifier: Apache-2.0
// The kernels there can be; which are built is CMake's OCTAVO_FFTW.
#pragma once

#include "octavo/fft/kernel.hpp"

namespace octavo::fft {

const Kernel& fftw_kernel();  // io_error: its module cannot be loaded
const Kernel& kissfft_kernel();

}  // namespace octavo::fft
