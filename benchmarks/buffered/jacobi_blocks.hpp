// SPDX-License-Identifier: Apache-2.0
// The iteration by blocks of arrays that are open, for programs that share them (peers/mpi_jacobi.cpp).
#pragma once

#include <octavo/octavo.hpp>

#include "buffered/jacobi.hpp"

namespace bench {

using Plane = octavo::BufferedArray<double, 2>;

Plane opened(const Field& of, const std::string& path, const char* mode);
void relax_blocks(const Field& of, const Plane& u, Plane& w);

}  // namespace bench
