// SPDX-License-Identifier: Apache-2.0
// All of Octavo: objects as processes, and arrays larger than memory.
#pragma once

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/data/store.hpp"
#include "octavo/fft/job.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/process/future.hpp"
#include "octavo/process/remote.hpp"
#include "octavo/process/remote_ptr.hpp"
#include "octavo/process/runtime.hpp"
