// SPDX-License-Identifier: Apache-2.0
// Two programs that a mailbox makes one stream: ST-11 and ST-12.
#include <future>

#include "conformance/stream/programs.hpp"

namespace stream_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(StreamBoxes, ST11_TwoProgramsAreOneStream) {
  const auto first = program([] { return give(20000); }), second = program(take);
  EXPECT_EQ(second->said(), "20000 in order");
  EXPECT_EQ(first->said(), "20000");
}

TEST_F(StreamBoxes, ST11_OfNoItems) {
  const auto first = program([] { return give(0); }), second = program(take);
  EXPECT_EQ(second->said(), "0 in order");
  EXPECT_EQ(first->said(), "0");
}

TEST_F(StreamBoxes, ST11_LargeItemsAndASmallBound) {
  const ov::StreamBox<std::vector<double>> blocks(box, {.messages = 2, .bytes = 1 << 20});
  const auto first = program([&] {
    const auto block = [](int x) { return std::vector<double>(50000, x); };
    return std::to_string(ov::pipeline(numbers(50), block, blocks).run().delivered);
  });
  const auto second = program([&] {
    double sum = 0;
    for (const auto& each : ov::pipeline(blocks, [](std::vector<double> x) { return x; })) sum += each.front() + each.back();
    return std::to_string(static_cast<int>(sum));
  });
  EXPECT_EQ(second->said(), "2450");
  EXPECT_EQ(first->said(), "50");
}

TEST_F(StreamBoxes, ST11_StreamsAreTakenOneAfterTheOther) {
  const auto second = program([] { return take() + ", " + take() + ", " + take(); });
  const auto two = [] { return give(300) + ", " + give(300); };
  const auto first = program(two), other = program([] { return give(300); });
  EXPECT_EQ(second->said(), "300 in order, 300 in order, 300 in order");
  EXPECT_EQ(first->said(), "300, 300");
  EXPECT_EQ(other->said(), "300");
}

TEST_F(StreamBoxes, ST11_AlsoInlinedAndWithinOneProgram) {
  const auto both = program([] {
    std::string taken;
    std::thread second([&] { taken = take(); });
    const auto given = ov::pipeline(numbers(1000), ov::stage<Times>(2), ov::StreamBox<int>(box)).inlined().run().delivered;
    second.join();
    return std::to_string(given) + ", " + taken;
  });
  EXPECT_EQ(both->said(), "1000, 1000 in order");
}

TEST_F(StreamBoxes, ST12_AnErrorOfTheFirstIsTold) {
  const auto first = program([] {
    const auto fails = [](int x) { return x == 500 ? throw std::runtime_error("no item 500") : x; };
    ov::pipeline(endless(), fails, ov::StreamBox<int>(box)).run();
    return std::string("no error");
  });
  const auto second = program([] {
    int taken = 0;
    try {
      ov::pipeline(ov::StreamBox<int>(box), [&](int) { ++taken; }).run();
    } catch (const ov::gone_error& e) {
      return std::to_string(taken) + ": " + e.what();
    }
    return std::string("no error");
  });
  EXPECT_THAT(second->said(), StartsWith("500: the stream that ends in mailbox 'ov://home/items' has failed: no item 500"));
  EXPECT_EQ(first->said(), "no item 500");
}

TEST_F(StreamBoxes, ST12_AnErrorOfTheSecondIsTold) {
  const auto first = program([] {
    ov::pipeline(endless(), ov::StreamBox<int>(box)).run();
    return std::string("no error");
  });
  const auto second = program([] {
    ov::pipeline(ov::StreamBox<int>(box), [](int x) {
      if (x == 500) throw std::runtime_error("no room");
    }).run();
    return std::string("no error");
  });
  EXPECT_EQ(second->said(), "no room");
  EXPECT_THAT(first->said(), StartsWith("the stream that begins in mailbox 'ov://home/items' has failed: no room"));
}

TEST_F(StreamBoxes, ST12_ALoopThatIsLeftCancelsTheFirst) {
  const auto first = program([] {
    ov::pipeline(endless(), ov::StreamBox<int>(box, {.messages = 8})).run();
    return std::string("no error");
  });
  const auto second = program([] {
    for (const int x : ov::pipeline(ov::StreamBox<int>(box), [](int y) { return y; }))
      if (x == 500) break;
    return std::string("left");
  });
  EXPECT_EQ(second->said(), "left");
  EXPECT_THAT(first->said(), StartsWith("cancelled: the stream that begins in mailbox 'ov://home/items'"));
}

// The first waits for all that it has posted to be taken.
TEST_F(StreamBoxes, ST12_ALoopThatIsLeftCancelsAlsoOneThatHasGivenAll) {
  const auto both = program([] {
    std::promise<void> given;
    const auto source = [&, n = 0]() mutable -> std::optional<int> {
      if (n < 20) return n++;
      given.set_value();
      return std::nullopt;
    };
    auto first = ov::start(ov::pipeline(source, ov::StreamBox<int>(box)));
    given.get_future().wait();
    const auto holds = [&](int y) {  // however slow the loop is, not all are taken before it is left
      while (y > 4 && !first.is_done()) std::this_thread::yield();
      return y;
    };
    for (const int x : ov::pipeline(ov::StreamBox<int>(box), ov::stage(holds).bound({.items = 1})))
      if (x == 4) break;
    try {
      return std::to_string(first.get().delivered);
    } catch (const ov::cancelled&) {
      return std::string("cancelled");
    }
  });
  EXPECT_EQ(both->said(), "cancelled");
}

TEST_F(StreamBoxes, ST12_CancellingEitherEndsAWait) {
  const auto alone = program([] {
    auto second = ov::start(ov::pipeline(ov::StreamBox<int>(box), [](int) {}));
    auto first = ov::start(ov::pipeline(numbers(5), ov::StreamBox<int>("ov://home/nobody")));
    second.cancel();
    first.cancel();
    EXPECT_THROW(second.get(), ov::cancelled);
    EXPECT_THROW(first.get(), ov::cancelled);
    return std::string("ended");
  });
  EXPECT_EQ(alone->said(), "ended");
}

TEST_F(StreamBoxes, ST12_OneThatWasCancelledBeforeItWasTakenIsPassedOver) {
  const auto program = this->program([] {
    auto never = ov::start(ov::pipeline([]() -> std::optional<int> { return std::nullopt; }, ov::StreamBox<int>(box)));
    never.cancel();
    static_cast<void>(never.report());
    std::string taken;
    std::thread second([&] { taken = take(); });
    const auto given = give(10);
    second.join();
    return given + ", " + taken;
  });
  EXPECT_EQ(program->said(), "10, 10 in order");
}

TEST_F(StreamBoxes, ST12_TheDeathOfTheFirstIsTold) {
  const auto first = program([] {
    const auto dies = [](int x) { return x == 5000 ? ::raise(SIGKILL) : x; };  // so many are not under way before they are taken
    ov::pipeline(endless(), dies, ov::StreamBox<int>(box)).run();
    return std::string("no error");
  });
  const auto second = program([] {
    ov::pipeline(ov::StreamBox<int>(box), [](int) {}).run();
    return std::string("no error");
  });
  EXPECT_THAT(second->said(), HasSubstr("its program ended, or was killed"));
}

TEST_F(StreamBoxes, ST12_TheDeathOfTheSecondIsTold) {
  const auto first = program([] {
    ov::pipeline(endless(), ov::StreamBox<int>(box, {.messages = 8})).run();
    return std::string("no error");
  });
  const auto second = program([] {
    ov::pipeline(ov::StreamBox<int>(box), [](int x) {
      if (x == 500) ::raise(SIGKILL);
    }).run();
    return std::string("no error");
  });
  EXPECT_THAT(first->said(), HasSubstr("its program ended, or was killed"));
}

// It has posted all, and waits for that to be taken.
TEST_F(StreamBoxes, ST12_TheDeathOfTheSecondIsToldBehindTheLastItem) {
  const auto first = program([] { return give(200); });
  const auto second = program([] {
    const auto dies = [](int x) {
      if (x == 100) ::raise(SIGKILL);
    };
    ov::pipeline(ov::StreamBox<int>(box), ov::stage(dies).bound({.items = 1})).run();
    return std::string("no error");
  });
  EXPECT_THAT(first->said(), HasSubstr("its program ended, or was killed"));
}

}  // namespace
}  // namespace stream_tests
