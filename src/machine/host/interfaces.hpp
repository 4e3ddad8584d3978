// SPDX-License-Identifier: Apache-2.0
// The network interfaces of this machine, by the names that `ip addr` shows.
#pragma once

#include <string>

namespace octavo {

// The numeric address of an interface that is up (IPv4 where it has one; no link-local one, which another machine cannot be told). What is a
// numeric address stays as it is. Throws usage_error for any other name, which says what interfaces there are.
std::string address_on(const std::string& interface_or_address);

}  // namespace octavo
