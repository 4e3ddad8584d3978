// SPDX-License-Identifier: Apache-2.0
#include "process/polling/reader_role.hpp"

#include "process/polling/reader_role_rare.hpp"

namespace octavo::detail {

template class BasicReaderRole<RealSteps>;

}  // namespace octavo::detail
