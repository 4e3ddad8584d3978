// SPDX-License-Identifier: Apache-2.0
// Makes objects of the second library for programs that know only the first one's classes.
#pragma once

#include "system/libraries/base.hpp"

namespace libraries {

octavo::remote_ptr<Base> make_derived(const octavo::Machine& where, int start, const std::string& nature);
octavo::remote_ptr<Base> make_secret(const octavo::Machine& where, int start);

}  // namespace libraries
