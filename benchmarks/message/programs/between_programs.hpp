// SPDX-License-Identifier: Apache-2.0
// Half a round trip of eight bytes through two mailboxes of the home, with another program of the same user.
#pragma once

#include <octavo/message.hpp>
#include <string>

namespace bench {

// A home of its own for this program and those it begins, as long as this lives: longer than the Runtime.
class OwnHome {
 public:
  OwnHome();
  OwnHome(const OwnHome&) = delete;
  OwnHome& operator=(const OwnHome&) = delete;
  ~OwnHome();

 private:
  std::string directory_;
};

// With a program that echoes as long as this lives.
class BetweenPrograms {
 public:
  BetweenPrograms();
  BetweenPrograms(const BetweenPrograms&) = delete;
  BetweenPrograms& operator=(const BetweenPrograms&) = delete;
  ~BetweenPrograms();
  [[nodiscard]] double half_trip() const;  // seconds

 private:
  octavo::Mailbox<long> there_{"ov://home/there"}, back_{"ov://home/back"};
  int other_;
};

}  // namespace bench
