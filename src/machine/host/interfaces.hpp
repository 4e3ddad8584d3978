// SPDX-License-Identifier: Apache-2.0
// The network interfaces of this machine, by the names that `ip addr` shows.
#pragma once

#include <string>

namespace octavo {

// The numeric address of an interface that is up (IPv4 where it has one; no link-local one, which another machine cannot be told). What is a
// numeric address stays as it is. Throws usage_error for any other name, which says what interfaces there are.
std::string address_on(const std::string& interface_or_address);
// The numeric address of this machine that is used to reach that host. Empty: its name is not known, or no way leads there. It asks the resolver, which may
// take a while, and sends nothing.
std::string address_towards(const std::string& host);

}  // namespace octavo
