// SPDX-License-Identifier: Apache-2.0
// Shared memory of elements that have memory elsewhere, which the other processes do not have.
// expect: the elements of a Segment are numbers, or structs of numbers
#include <array>
#include <string>

#include "octavo/message.hpp"

#ifndef CONTROL
using Name = std::string;
#else
using Name = std::array<char, 32>;
#endif

void fill() {
  octavo::Segment<Name> names("names", 100);
  names[0] = Name{'a'};
}
