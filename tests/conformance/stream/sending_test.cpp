// SPDX-License-Identifier: Apache-2.0
// What cannot be encoded, or not be made again where it arrives, ends the stream in its place (ST-3): the good ones of its call are not taken along.
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "conformance/stream/stages.hpp"
#include "octavo/data/page.hpp"

namespace stream_tests::sending {

enum class fails : std::uint8_t { nowhere, to_be_saved, to_be_loaded };

// With a page, which is given away when it is encoded.
struct Delicate {
  int number = 0;
  fails where = fails::nowhere;
  ov::Page page = {};
  Delicate() = default;
  Delicate(int is, fails at) : number(is), where(at), page(64) { std::memcpy(page.mutable_data(), &is, sizeof is); }
  template <class Archive>
  void save(Archive& archive) const {
    if (where == fails::to_be_saved) throw std::domain_error("save");
    archive(number, where, page);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number, where, page);
    if (where == fails::to_be_loaded) throw std::domain_error("load");
  }
  [[nodiscard]] bool is_whole() const { return page.size() == 64 && std::memcmp(page.data(), &number, sizeof number) == 0; }
};
using Owned = std::unique_ptr<Delicate>;  // cannot be copied

struct Same {
  Delicate svc(Delicate item) const { return item; }
};
struct SameOwned {
  Owned svc(Owned item) const { return item; }
};
// The first worker that has it dies of it.
struct DiesOnce {
  std::string mark;
  int at;
  DiesOnce(std::string file, int item) : mark(std::move(file)), at(item) {}
  Delicate svc(Delicate item) const {
    if (item.number == at && !std::filesystem::exists(mark)) {
      std::ofstream(mark) << "died";
      ::raise(SIGKILL);
    }
    return item;
  }
};
struct Makes {
  int at;
  fails where;
  Makes(int item, fails how) : at(item), where(how) {}
  Delicate svc(int item) const { return {item, item == at ? where : fails::nowhere}; }
};
// Throws, and one before it has a result that cannot leave.
struct MakesAndThrows {
  int at;
  explicit MakesAndThrows(int item) : at(item) {}
  void svc(int item, ov::emit<Delicate>& out) const {
    if (item == at + 1) throw std::logic_error("svc");
    out({item, item == at ? fails::to_be_saved : fails::nowhere});
  }
};

struct Thrice {
  void svc(int item, ov::emit<int>& out) const {
    for (int i = 0; i < 3; ++i) out(3 * item + i);
  }
};
struct MakesThrice {
  int at;
  fails where;
  MakesThrice(int item, fails how) : at(item), where(how) {}
  void svc(int item, ov::emit<Delicate>& out) const {
    for (int i = 3 * item; i < 3 * item + 3; ++i) out({i, i == at ? where : fails::nowhere});
  }
};
struct ThrowsAt {
  int at;
  explicit ThrowsAt(int item) : at(item) {}
  int svc(int item) const {
    if (item == at) throw std::domain_error("svc");
    return item;
  }
};

namespace {

constexpr int wrong = 130, count = 330;

auto items_of(fails where) {
  return [next = 0, where]() mutable -> std::optional<Delicate> {
    if (next == count) return std::nullopt;
    const int number = next++;
    return Delicate(number, number == wrong ? where : fails::nowhere);
  };
}
auto owned_of(fails where) {
  return [from = items_of(where)]() mutable -> std::optional<Owned> {
    auto next = from();
    return next ? std::optional(std::make_unique<Delicate>(std::move(*next))) : std::nullopt;
  };
}

int number_of(const Delicate& item) {
  EXPECT_TRUE(item.is_whole()) << item.number;
  return item.number;
}
int number_of(const Owned& item) { return number_of(*item); }

template <class Source, class Stage>
void fails_in_its_place(Source source, Stage stage) {
  std::vector<int> got;
  auto soon = ov::start(ov::pipeline(std::move(source), std::move(stage), [&](const auto& item) { got.push_back(number_of(item)); }));
  EXPECT_THROW(soon.get(), std::domain_error);
  EXPECT_EQ(got, numbers(wrong));
  EXPECT_EQ(soon.report().failed_item, wrong);
}

class SendingOnce : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog_{120};
  ov::Runtime runtime_;
};
class Sending : public SendingOnce, public testing::WithParamInterface<fails> {};

TEST_P(Sending, ST3_AnItemThatCannotComeIsAloneInIt) {
  fails_in_its_place(items_of(GetParam()), ov::stage<Same>().on(ov::process));
  fails_in_its_place(items_of(GetParam()), ov::farm<Same>().workers(2).on(ov::process));
  fails_in_its_place(items_of(GetParam()), ov::farm<Same>().workers(2).round_robin().on(ov::process));
  fails_in_its_place(items_of(GetParam()), ov::farm<Same>().workers(2).on(ov::process).stateless().on_death("redo"));
}

TEST_P(Sending, ST3_AnItemThatCannotBeCopiedIsAloneInIt) {
  fails_in_its_place(owned_of(GetParam()), ov::stage<SameOwned>().on(ov::process));
  fails_in_its_place(owned_of(GetParam()), ov::farm<SameOwned>().workers(2).on(ov::process));
}

TEST_P(Sending, ST3_AResultThatCannotComeIsAloneInIt) {
  fails_in_its_place(numbers(count), ov::stage<Makes>(wrong, GetParam()).on(ov::process));
  fails_in_its_place(numbers(count), ov::farm<Makes>(wrong, GetParam()).workers(2).on(ov::process));
}

// What comes together from the farm before, here, is sent on as far as it can be.
TEST_P(Sending, ST3_AnItemOfSeveralThatCameTogetherIsAloneInIt) {
  for (int at = wrong; at < wrong + 3; ++at) {
    auto fails = [&](auto after) {
      std::vector<int> got;
      auto soon = ov::start(ov::pipeline(numbers(count), ov::farm<MakesThrice>(at, GetParam()).workers(2), std::move(after),
                                         [&](const Delicate& item) { got.push_back(number_of(item)); }));
      EXPECT_THROW(soon.get(), std::domain_error);
      EXPECT_EQ(got, numbers(at));
    };
    fails(ov::stage<Same>().on(ov::process));
    fails(ov::farm<Same>().workers(2).on(ov::process));
    fails(ov::farm<Same>().workers(2).round_robin().on(ov::process));
    fails(ov::farm<Same>().workers(2).on(ov::process).stateless().on_death("redo"));
  }
}

TEST_P(Sending, ST3_SoItIsWhereTheWorkerDiedOfOneBeforeIt) {
  const auto mark = std::filesystem::temp_directory_path() / ("octavo-sending-" + std::to_string(::getpid()));
  for (int died = wrong - 2; died < wrong + 1; ++died) {
    std::vector<int> got;
    auto soon = ov::start(ov::pipeline(numbers(count), ov::farm<MakesThrice>(wrong + 1, GetParam()).workers(2),
                                       ov::farm<DiesOnce>(mark.string(), died).workers(2).on(ov::process).stateless().on_death("redo"),
                                       [&](const Delicate& item) { got.push_back(number_of(item)); }));
    EXPECT_THROW(soon.get(), std::domain_error);
    EXPECT_EQ(got, numbers(wrong + 1)) << got.size() << ", died of " << died << ", failed at " << soon.report().failed_item;
    EXPECT_TRUE(std::filesystem::remove(mark)) << "no worker died";
  }
}

INSTANTIATE_TEST_SUITE_P(Where, Sending, testing::Values(fails::to_be_saved, fails::to_be_loaded));

TEST_F(SendingOnce, ST3_TheFirstOfSeveralErrorsOfACallIsThrown) {
  fails_in_its_place(numbers(count), ov::stage<MakesAndThrows>(wrong).on(ov::process));
  fails_in_its_place(numbers(count), ov::farm<MakesAndThrows>(wrong).workers(2).on(ov::process));
}

// What comes together from the farm before is given as far as it was done.
TEST_F(SendingOnce, ST3_AFarmBehindAFarmGivesAllBeforeTheError) {
  auto fails_at = [](int at, auto before, auto after) {
    std::vector<int> got;
    auto soon = ov::start(ov::pipeline(numbers(count), std::move(before), std::move(after), [&](int item) { got.push_back(item); }));
    EXPECT_THROW(soon.get(), std::domain_error);
    EXPECT_EQ(got, numbers(at));
  };
  for (int at = wrong; at < wrong + 3; ++at) {
    fails_at(at, ov::farm<Thrice>().workers(3), ov::farm<ThrowsAt>(at).workers(3));
    fails_at(at, ov::farm<Thrice>().workers(2).on(ov::process), ov::farm<ThrowsAt>(at).workers(2).on(ov::process));
  }
}

}  // namespace
}  // namespace stream_tests::sending
