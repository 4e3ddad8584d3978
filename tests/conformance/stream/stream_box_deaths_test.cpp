// SPDX-License-Identifier: Apache-2.0
// Two programs that a mailbox makes one stream, of which one ends before the other has taken, or given, anything: ST-11 and ST-12.
#include <sys/eventfd.h>

#include <future>

#include "conformance/stream/programs.hpp"

namespace stream_tests {

struct BadInit {
  void svc_init() const { throw std::runtime_error("no beginning"); }
  int svc(int item) const { return item; }
};

namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What one program has done, and others wait for.
class Sign {
 public:
  Sign() : event_(::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC)) {}
  void set() const {
    const std::uint64_t many = 1 << 20;
    if (::write(event_.get(), &many, sizeof many) != sizeof many) throw std::runtime_error("no sign");
  }
  void wait() const {
    std::uint64_t one = 0;
    if (::read(event_.get(), &one, sizeof one) != sizeof one) throw std::runtime_error("no sign");
  }

 private:
  ov::Fd event_;
};

void die() { ::raise(SIGKILL); }
void leave() { std::_Exit(0); }  // nothing of the program is ended

// Ends its program at this item.
auto ends_at(int item, void (*end)()) {
  return [n = 0, item, end]() mutable -> std::optional<int> {
    if (n == item) end();
    return n++;
  };
}

class StreamBoxDeaths : public StreamBoxes {
 protected:
  // A program that reads the box, as it has taken a stream, and takes another one when it may.
  auto reader() {
    auto made = program([this] {
      const auto first = take();
      reads.set();
      may_read.wait();
      return first + ", " + take();
    });
    EXPECT_EQ(program([] { return give(3); })->said(), "3");
    reads.wait();
    return made;
  }

  const Sign reads, may_read;
};

class FirstEnds : public StreamBoxDeaths, public testing::WithParamInterface<std::tuple<int, void (*)()>> {
 protected:
  auto first_that_ends() {
    return program([] {
      const auto [item, end] = GetParam();
      ov::pipeline(ends_at(item, end), ov::StreamBox<int>(box)).run();
      return std::string("no error");
    });
  }
};

TEST_P(FirstEnds, ST12_WhoWaitsIsTold) {
  const auto second = reader();
  may_read.set();
  const auto first = first_that_ends();
  EXPECT_THAT(second->said(), HasSubstr("its program ended, or was killed"));
}
TEST_P(FirstEnds, ST12_WhoReadsLaterIsTold) {
  const auto second = reader();
  EXPECT_EQ(first_that_ends()->said(), "");
  may_read.set();
  EXPECT_THAT(second->said(), HasSubstr("its program ended, or was killed"));
}
TEST_P(FirstEnds, ST11_OthersAreTakenAllTheSame) {
  const auto second = program([this] {
    const auto before = take();
    reads.set();
    may_read.wait();
    std::string died;
    try {
      died = take();
    } catch (const ov::process_died&) {
      died = "died";
    }
    return before + ", " + died + ", " + take() + ", " + take();
  });
  EXPECT_EQ(program([] { return give(3); })->said(), "3");
  reads.wait();
  EXPECT_EQ(first_that_ends()->said(), "");
  const Sign begun;
  const auto gives = [&] {
    ov::pipeline([&, n = 0]() mutable -> std::optional<int> { return begun.set(), n < 5 ? std::optional(n++) : std::nullopt; }, ov::stage<Times>(2),
                 ov::StreamBox<int>(box))
        .run();
    return std::string("5");
  };
  const auto other = program(gives), third = program(gives);
  begun.wait();
  may_read.set();
  EXPECT_EQ(second->said(), "3 in order, died, 5 in order, 5 in order");
  EXPECT_EQ(other->said() + third->said(), "55");
}
INSTANTIATE_TEST_SUITE_P(At, FirstEnds, testing::Combine(testing::Values(0, 20), testing::Values(die, leave)),
                         [](const auto& of) { return "item" + std::to_string(std::get<0>(of.param)) + (std::get<1>(of.param) == die ? "killed" : "left"); });

TEST_F(StreamBoxDeaths, ST12_OneThatWasCancelledIsPassedOverWhenItsProgramHasEnded) {
  const auto second = reader();
  EXPECT_THAT(program([] {
                std::promise<void> begun;
                auto never = ov::start(ov::pipeline(
                    [&, n = 0]() mutable -> std::optional<int> {
                      if (n == 0) begun.set_value();
                      return n++;
                    },
                    ov::StreamBox<int>(box)));
                begun.get_future().wait();
                never.cancel();
                never.get();
                return std::string("no error");
              })->said(),
              StartsWith("cancelled"));
  const auto next = program([] { return give(7); });
  may_read.set();
  EXPECT_EQ(second->said(), "3 in order, 7 in order");
  EXPECT_EQ(next->said(), "7");
}

TEST_F(StreamBoxDeaths, ST12_AnErrorIsToldWhenItsProgramHasEnded) {
  const auto second = reader();
  EXPECT_EQ(program([] {
              const auto fails = [](int) -> int { throw std::runtime_error("no item"); };
              ov::pipeline(numbers(9), fails, ov::StreamBox<int>(box)).run();
              return std::string("no error");
            })->said(),
            "no item");
  may_read.set();
  EXPECT_THAT(second->said(), StartsWith("the stream that ends in mailbox 'ov://home/items' has failed: no item"));
}

TEST_F(StreamBoxDeaths, ST12_AnErrorAtTheBeginningIsTold) {
  const auto begins_badly = [](auto stream) { return [stream] { return std::to_string(stream().run().delivered); }; };
  const auto of_threads = [] { return ov::pipeline(numbers(3), ov::stage<BadInit>(), ov::StreamBox<int>(box)); };
  for (const auto& first :
       {std::function<std::string()>(begins_badly(of_threads)), std::function<std::string()>(begins_badly([=] { return of_threads().inlined(); }))}) {
    const auto second = program(take), failed = program(first);
    EXPECT_EQ(failed->said(), "no beginning");
    EXPECT_THAT(second->said(), HasSubstr("has failed: no beginning"));
  }
}

TEST_F(StreamBoxDeaths, ST11_TheDeathOfAnEarlierReaderIsNotTheNextStreams) {
  const Sign is_dead;
  const auto first = program([&] {
    const auto one = give(3);
    is_dead.wait();
    return one + ", " + give(4);
  });
  {
    const auto second = program([this] {
      const auto taken = take();
      reads.set();
      may_read.wait();
      return taken;
    });
    reads.wait();
  }  // it is killed
  is_dead.set();
  EXPECT_EQ(program(take)->said(), "4 in order");
  EXPECT_EQ(first->said(), "3, 4");
}

// It reads the box, and has not begun to take the stream.
TEST_F(StreamBoxDeaths, ST11_WhatADeadReaderHadNotBegunIsForTheNext) {
  const Sign begun;
  auto second = reader();
  const auto first = program([&] {
    ov::pipeline([&, n = 0]() mutable -> std::optional<int> { return begun.set(), n < 50 ? std::optional(n++) : std::nullopt; }, ov::stage<Times>(2),
                 ov::StreamBox<int>(box))
        .run();
    return std::string("given");
  });
  begun.wait();
  second = nullptr;  // killed
  EXPECT_EQ(program(take)->said(), "50 in order");
  EXPECT_EQ(first->said(), "given");
}

}  // namespace
}  // namespace stream_tests
