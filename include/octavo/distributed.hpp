// SPDX-License-Identifier: Apache-2.0
// Arrays spread over the members of a group (docs/distributed.md).
#pragma once

#include "octavo/distributed/distributed_array.hpp"
#include "octavo/group/self.hpp"
