// SPDX-License-Identifier: Apache-2.0
// Streams: stages, farms and pipelines of them, on threads, processes and machines.
#pragma once

#include "octavo/process.hpp"
#include "octavo/stream/pipeline.hpp"
#include "octavo/stream/status.hpp"
