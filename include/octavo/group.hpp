// SPDX-License-Identifier: Apache-2.0
// Objects as processes, and groups of them with their collectives; without the arrays, which octavo.hpp has too.
#pragma once

#include "octavo/group/group.hpp"
#include "octavo/group/self.hpp"
#include "octavo/process.hpp"
