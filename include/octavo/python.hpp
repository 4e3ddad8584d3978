// SPDX-License-Identifier: Apache-2.0
// C++ and Python together: objects of Python called from C++, C++ methods that Python may call, and groups of both with their collectives.
#pragma once

#include "octavo/data/python/callable.hpp"
#include "octavo/data/python/group.hpp"
#include "octavo/data/python/member.hpp"
#include "octavo/data/python/object.hpp"
