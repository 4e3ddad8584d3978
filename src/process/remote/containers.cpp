// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/containers.hpp"

#include <stdexcept>

namespace octavo::detail::on_container {

void raise_bad_index(std::size_t index, std::size_t size) {
  throw std::out_of_range("index " + std::to_string(index) + " of a container of " + std::to_string(size) + (size == 1 ? " element" : " elements"));
}
void raise_nothing_in(const char* method) { throw std::out_of_range(std::string(method) + "() of a container that is empty"); }
void raise_no_key(const std::string& key) { throw std::out_of_range("there is no key like " + key + " in the map"); }

}  // namespace octavo::detail::on_container
