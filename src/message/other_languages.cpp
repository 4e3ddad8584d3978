// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/other_languages.hpp"

#include <unistd.h>

#include "process/forked.hpp"
#include "process/forks_so_far.hpp"

namespace octavo::detail {

void refuse_names_of_parent() {
  if (const pid_t parent = forked_off(); parent != 0) raise_forked(parent);
}

OfProcess::OfProcess() noexcept : life_(forks()), process_(::getpid()) {}

void OfProcess::check() const {
  if (life_ != forks()) raise_forked(process_);
}

}  // namespace octavo::detail
