// SPDX-License-Identifier: Apache-2.0
// Serves what it is linked with, and refers to none of it.
#include "octavo/process.hpp"

int main(int argc, char** argv) { octavo::Runtime runtime(argc, argv); }
