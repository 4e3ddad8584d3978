// SPDX-License-Identifier: Apache-2.0
// What a thread says of itself to its endpoint: that it only waits, or that it has work under way outside of Octavo (inquiry/stillness.hpp).
#include <unistd.h>

#include "process/endpoint.hpp"

namespace octavo::detail {

Stillness::OnlyWaits::OnlyWaits() : thread_(Endpoint::require().stillness().only_waits_) {
  int nobody = 0;
  mine_ = thread_.compare_exchange_strong(nobody, ::gettid());
}

Stillness::OnlyWaits::~OnlyWaits() {
  if (mine_) thread_.store(0);
}

bool look_up_after(std::chrono::milliseconds time, const std::function<bool()>& done) {
  const Stillness::OnlyWaits waits;
  auto& here = Endpoint::require();
  return here.wait(done, here.around().now() + time);
}

OutsideWork::OutsideWork() {
  if (auto* here = Endpoint::current()) count_ = here->stillness().outside();
}

}  // namespace octavo::detail
