// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/remote_array.hpp"

#include "octavo/base/bytes.hpp"

namespace octavo::detail {

namespace {
std::string array_of(std::size_t size) { return "a remote array of " + std::to_string(size) + (size == 1 ? " element" : " elements"); }
}  // namespace

void raise_bad_index(std::size_t index, std::size_t size) { throw std::out_of_range("index " + std::to_string(index) + " of " + array_of(size)); }

void raise_bad_range(std::size_t first, std::size_t count, std::size_t size) {
  throw std::out_of_range(std::to_string(count) + (count == 1 ? " element" : " elements") + " from index " + std::to_string(first) + " of " + array_of(size));
}

std::size_t checked_size(std::int64_t count, std::size_t element_bytes) {
  if (count < 0) throw usage_error("a remote array of " + std::to_string(count) + " elements", "Give the number of elements, 0 or more");
  auto size = static_cast<std::size_t>(count);
  if (size > static_cast<std::size_t>(INT64_MAX) / element_bytes) raise_no_memory(size, element_bytes);
  return size;
}

void raise_no_memory(std::size_t count, std::size_t element_bytes) {
  throw refused("there is no memory for " + array_of(count) + " of " + std::to_string(element_bytes) + " bytes",
                "Divide the array among several machines, or keep it on disk as an octavo::Array");
}

void raise_bad_count(std::uint64_t came, std::size_t wanted) {
  throw io_error("a message could not be decoded: " + std::to_string(came) + " elements came where " + std::to_string(wanted) + " were asked for",
                 "Caller and callee disagree about a type: build both from the same sources");
}

}  // namespace octavo::detail
