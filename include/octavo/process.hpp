// SPDX-License-Identifier: Apache-2.0
// Objects as processes, without the arrays: what a program needs that only places objects. group.hpp has their
// groups too, octavo.hpp all.
#pragma once

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/saved_objects.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/process/function.hpp"
#include "octavo/process/future.hpp"
#include "octavo/process/named.hpp"
#include "octavo/process/place.hpp"
#include "octavo/process/remote.hpp"
#include "octavo/process/remote_array.hpp"
#include "octavo/process/remote_ptr.hpp"
#include "octavo/process/runtime.hpp"
#include "octavo/process/service.hpp"
#include "octavo/process/when.hpp"
