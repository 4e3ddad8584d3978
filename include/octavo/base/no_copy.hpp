// SPDX-License-Identifier: Apache-2.0
// A base of classes whose objects are neither copied nor moved.
#pragma once

namespace octavo {

class NoCopy {
 public:
  NoCopy(const NoCopy&) = delete;
  NoCopy& operator=(const NoCopy&) = delete;

 protected:
  NoCopy() = default;
  ~NoCopy() = default;
};

}  // namespace octavo
