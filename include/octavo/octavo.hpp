// SPDX-License-Identifier: Apache-2.0
// All of Octavo: objects as processes, and arrays larger than memory.
#pragma once

#include "octavo/data/array.hpp"
#include "octavo/data/blocks/blocks.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/data/store.hpp"
#include "octavo/distributed.hpp"
#include "octavo/fft/job.hpp"
#include "octavo/group.hpp"
#include "octavo/message.hpp"
#include "octavo/stream.hpp"
