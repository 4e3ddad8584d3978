// SPDX-License-Identifier: Apache-2.0
// Says one byte and ends: the limit of make.cpp.
#include <unistd.h>

int main() { return ::write(STDOUT_FILENO, "x", 1) == 1 ? 0 : 1; }
