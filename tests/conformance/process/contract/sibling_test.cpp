// SPDX-License-Identifier: Apache-2.0
// C-2 and C-3 where one method makes several calls: the later ones descend from the same root, but not from the earlier ones, and wait their turn.
#include "conformance/process/every_place.hpp"

namespace siblings {

namespace ov = octavo;

class Other {
 public:
  int answer() { return 1; }
};
OCTAVO_REMOTE(Other, answer)

class Worker {
 public:
  void slow(const ov::remote_ptr<Other>& other) {
    notes_.push_back("slow begins");
    for (int i = 0; i < 20; ++i) other->answer();  // waits, and may serve callbacks meanwhile
    notes_.push_back("slow ends");
  }
  void quick() { notes_.push_back("quick"); }
  std::vector<std::string> notes() { return notes_; }

 private:
  std::vector<std::string> notes_;
};
OCTAVO_REMOTE(Worker, slow, quick, notes)

class Boss {
 public:
  void call_both(const ov::remote_ptr<Worker>& worker, const ov::remote_ptr<Other>& other) {
    auto first = ov::start(worker)->slow(other);
    worker->quick();
    first.get();
  }
  void call_and_end(const ov::remote_ptr<Worker>& worker, const ov::remote_ptr<Other>& other) {
    auto first = ov::start(worker)->slow(other);
    ov::destroy(worker);
    first.get();
  }
};
OCTAVO_REMOTE(Boss, call_both, call_and_end)

namespace {

class Siblings : public process_tests::EveryPlace {
 protected:
  ov::remote_ptr<Boss> boss = here.make<Boss>();
  ov::remote_ptr<Worker> worker = here.make<Worker>();
  ov::remote_ptr<Other> other = here.make<Other>();
};

TEST_P(Siblings, C2_RunInTheOrderMadeAlsoWhileTheFirstWaits) {
  boss->call_both(worker, other);
  EXPECT_EQ(worker->notes(), (std::vector<std::string>{"slow begins", "slow ends", "quick"}));
}

TEST_P(Siblings, C7_AnObjectDoesNotEndUnderItsMethod) {
  boss->call_and_end(worker, other);
  EXPECT_THROW(worker->notes(), ov::process_died);
}

INSTANTIATE_TEST_SUITE_P(, Siblings, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace siblings
