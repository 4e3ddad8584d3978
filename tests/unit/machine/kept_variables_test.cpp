// SPDX-License-Identifier: Apache-2.0
#include "machine/kept_variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octavo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KeptVariables, AreWhatAProgramIsStartedAgainWith) {
  EXPECT_THAT(kept_variables({"PATH=/bin", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C", "OMP_NUM_THREADS=2", "GITHUB_TOKEN=y", "OCTAVO_LOG=off", "VIRTUAL_ENV=/v"}),
              ElementsAre("PATH=/bin", "LC_ALL=C", "OMP_NUM_THREADS=2", "OCTAVO_LOG=off", "VIRTUAL_ENV=/v"));
}

TEST(KeptVariables, ANameIsTheWholeName) {
  EXPECT_THAT(kept_variables({"PATH_TO_KEY=x", "XPATH=x", "HOMEPAGE=x", "MY_LC_ALL=x", "=PATH", ""}), IsEmpty());
  EXPECT_THAT(kept_variables({"PATH"}), ElementsAre("PATH"));
}

TEST(KeptVariables, OthersAreKeptWhereTheProgramNamesThem) {
  std::vector<std::string> all{"A=1", "B=2", "AB=3", "OCTAVO_KEEP_VARIABLES=B,AB", "C=a=b"};
  auto kept = kept_variables(all);
  EXPECT_THAT(kept, ElementsAre("B=2", "AB=3", "OCTAVO_KEEP_VARIABLES=B,AB"));
  EXPECT_EQ(kept_variables(kept), kept) << "so that they are known when it is looked at again";
}

}  // namespace
}  // namespace octavo
