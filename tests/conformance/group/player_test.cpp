// SPDX-License-Identifier: Apache-2.0
// What the members of the group tests do, and a member against a plain computation of the same program.
#include "conformance/group/player.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <random>

#include "conformance/process/every_place.hpp"

namespace group_tests {

std::vector<std::size_t> Player::place_in() const {
  auto me = ov::self<Player>();
  return {me.index(), me.size()};
}
std::vector<std::size_t> Player::place_in_group(const ov::group<Player>& g) const {
  auto me = ov::self<Player>(g);
  return {me.index(), me.size()};
}
void Player::fail_if(int number, const std::string& how) const {
  if (number_ < number) return;
  if (how == "octavo") throw ov::io_error("the disk of " + std::to_string(number_) + " is full");
  throw std::out_of_range("number " + std::to_string(number_));
}
void Player::barriers(int n) const {
  auto me = ov::self<Player>();
  for (int i = 0; i < n; ++i) me.barrier();
}
// Member 0 gives without ever being answered.
double Player::ahead(int rounds) const {
  auto me = ov::self<Player>();
  double sum = 0;
  for (int i = 0; i < rounds; ++i) sum += me.broadcast(i * 1.0, 0);
  return sum;
}

double Player::reduce_vector(std::size_t length) const {
  auto me = ov::self<Player>();
  std::vector<double> mine(length + static_cast<std::size_t>(number_), 0.0);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<double>(i * (me.index() + 1));
  auto copy = me.all_reduce(mine, std::plus<>());
  me.all_reduce(std::span(mine), [](double a, double b) { return a + b; });
  auto at_root = me.reduce(
      copy, [](double a, double b) { return std::max(a, b); }, me.size() - 1);
  if (copy != mine || at_root.has_value() != (me.index() + 1 == me.size()) || (at_root && *at_root != copy)) return -1;
  return mine.empty() ? 0 : mine.back();
}

void collective(const std::string& how) {
  auto me = ov::self<Player>();
  if (how == "barrier") me.barrier();
  if (how == "broadcast 0") me.broadcast(1, 0);
  if (how == "broadcast last") me.broadcast(1, me.size() - 1);
  if (how == "broadcast double") me.broadcast(1.0, 0);
  if (how == "reduce") me.reduce(1, std::plus<>(), 0);
  if (how == "gather last") me.gather(1, me.size() - 1);
  if (how == "all_gather") me.all_gather(1);
  if (how == "all_reduce") me.all_reduce(1, std::plus<>());
  if (how == "scan") me.scan(1, std::plus<>());
  if (how == "exclusive_scan") me.exclusive_scan(1, 0, std::plus<>());
  if (how == "all_to_all") me.all_to_all(std::vector<int>(me.size()));
  if (how == "scatter 0") me.scatter(std::vector<int>(me.size()), 0);
}
void Player::one_differs(const std::string& mine, std::size_t who, const std::string& theirs) const {
  collective(ov::self<Player>().index() == who ? theirs : mine);
}
int Player::op_fails(std::size_t who) const {
  auto me = ov::self<Player>();
  return me.all_reduce(static_cast<int>(me.index()), [&](int a, int b) {
    if (me.index() == who) throw std::domain_error("cannot add " + std::to_string(a) + " and " + std::to_string(b));
    return a + b;
  });
}
int Player::scatter_wrong() const {
  auto me = ov::self<Player>();
  return me.scatter(std::vector<int>(me.size() + 1), 1 % me.size());
}
std::string Player::wrong_class() const {
  try {
    ov::self<std::string>();
  } catch (const ov::usage_error& e) {
    return e.what();
  }
  return {};
}

// A table of rows: the sum of my row's indices, the sum of my column's, my index in the row turned round, and in the whole.
std::vector<std::size_t> Player::split_and_sum(int rows) const {
  auto me = ov::self<Player>();
  auto mine = static_cast<std::int64_t>(me.index());
  auto row = me.split(mine % rows), column = me.split(mine / rows, -mine);
  std::size_t in_row = row.all_reduce(me.index(), std::plus<>());
  std::size_t in_column = column.all_reduce(me.index(), std::plus<>());
  auto turned = row.split(0, -mine);
  turned.barrier();
  if (ov::self<Player>(turned.group()).index() != turned.index()) return {};
  return {in_row, in_column, turned.index(), ov::self<Player>().index()};
}

int Player::ask_within(const ov::remote_ptr<Player>& other, bool enter) {
  auto answer = ov::start(other)->answer_within(pointer(), enter);
  barrier();
  return answer.get();
}
int Player::answer_within(const ov::remote_ptr<Player>& asker, bool enter) {
  int came = -1;
  try {
    came = asker->poke(enter);
  } catch (const ov::usage_error& e) {
    came = std::string(e.what()).find("another collective of the same group") != std::string::npos ? -2 : -3;
  }
  barrier();
  return came;
}
int Player::poke(bool enter) {
  if (enter) barrier();
  return number_;
}

std::string Player::until_death(const std::string& how, int before) const {
  try {
    barriers(before);  // it may die while others are still in the last of them
    for (;;) collective(how);
  } catch (const ov::process_died& e) {
    return std::to_string(e.obituary().facts.address.object) + " " + e.what();
  }
}
void Player::die_in(const std::string& how) const {
  barriers(3);
  if (how == "within") {
    ov::self<Player>().all_reduce(1, [](int a, int b) {
      ::raise(SIGKILL);
      return a + b;
    });
  }
  ::raise(SIGKILL);
}
std::size_t Player::connections() const { return ov::detail::connections_of_object(); }

namespace {

std::string as_text(const std::vector<int>& list) {
  std::string text;
  for (int each : list) text += std::to_string(each) + " ";
  return text;
}

}  // namespace

std::vector<std::string> Player::try_all(std::size_t root) const {
  auto me = ov::self<Player>();
  int mine = static_cast<int>(me.index()), n = static_cast<int>(me.size());
  std::vector<int> squares(me.size());
  for (int i = 0; i < n; ++i) squares[static_cast<std::size_t>(i)] = i * i;
  std::vector<std::string> came;
  me.barrier();
  came.push_back(std::to_string(me.broadcast(mine + 100, root)));
  came.push_back(std::to_string(me.scatter(me.index() == root ? squares : std::vector<int>(), root)));
  came.push_back(as_text(me.gather(mine * 2, root)));
  came.push_back(as_text(me.all_gather(-mine)));
  auto join = [](const std::string& a, const std::string& b) { return a + b; };
  came.push_back(me.reduce(std::to_string(mine) + ",", join, root).value_or("nothing"));
  came.push_back(me.all_reduce(std::to_string(mine) + ",", join));
  return came;
}

// Both sides of this choose by the same random numbers: what to do, with which root, and each member's value.
namespace {
struct Step {
  std::uint64_t kind;
  std::size_t root;
  std::vector<std::uint64_t> values;
};
class Program {
 public:
  Program(std::uint64_t seed, std::size_t n) : random_(seed), n_(n) {}
  Step next() {
    Step step{random_() % 11, random_() % n_, {}};
    for (std::size_t i = 0; i < n_; ++i) step.values.push_back(random_());
    return step;
  }

 private:
  std::mt19937_64 random_;
  std::size_t n_;
};
Affine affine(std::uint64_t x) { return {x | 1, x >> 7}; }
std::uint64_t digest(const Affine& a) { return a.scale ^ a.offset * 31; }
std::uint64_t digest(const std::vector<std::uint64_t>& list) {
  std::uint64_t sum = list.size();
  for (auto each : list) sum = sum * 1000003 + each;
  return sum;
}
}  // namespace

std::vector<std::uint64_t> Player::play(std::uint64_t seed, int steps) const {
  auto me = ov::self<Player>();
  Program program(seed, me.size());
  std::vector<std::uint64_t> log;
  for (int i = 0; i < steps; ++i) {
    Step step = program.next();
    std::uint64_t mine = step.values[me.index()];
    switch (step.kind) {
      case 0: me.barrier(); break;
      case 1: log.push_back(me.broadcast(mine, step.root)); break;
      case 2: log.push_back(me.scatter(me.index() == step.root ? step.values : std::vector<std::uint64_t>(), step.root)); break;
      case 3: log.push_back(digest(me.gather(mine, step.root))); break;
      case 4: log.push_back(digest(me.all_gather(mine))); break;
      case 5: log.push_back(digest(me.reduce(affine(mine), then, step.root).value_or(Affine{}))); break;
      case 6: log.push_back(digest(me.all_reduce(affine(mine), then))); break;
      case 7: log.push_back(digest(me.scan(affine(mine), then))); break;
      case 8: log.push_back(digest(me.exclusive_scan(affine(mine), affine(step.root), then))); break;
      case 9: {
        auto given = step.values;
        for (auto& each : given) each ^= mine;
        log.push_back(digest(me.all_to_all(given)));
        break;
      }
      default: {
        auto part = me.split(static_cast<std::int64_t>(mine % 3), static_cast<std::int64_t>(mine % 5));
        log.push_back(digest(part.all_gather(mine)));
      }
    }
  }
  return log;
}

std::vector<std::vector<std::uint64_t>> model_of_play(std::uint64_t seed, int steps, std::size_t n) {
  Program program(seed, n);
  std::vector<std::vector<std::uint64_t>> logs(n);
  for (int i = 0; i < steps; ++i) {
    Step step = program.next();
    Affine all;
    for (auto each : step.values) all = then(all, affine(each));
    std::vector<std::vector<std::uint64_t>> parts(3);
    if (step.kind == 10) {
      std::vector<std::uint64_t> sorted = step.values;
      std::stable_sort(sorted.begin(), sorted.end(), [](auto a, auto b) { return a % 5 < b % 5; });
      for (auto each : sorted) parts[each % 3].push_back(each);
    }
    Affine before, before_from = affine(step.root);
    for (std::size_t who = 0; who < n; ++who) {
      bool root = who == step.root;
      auto of_each = step.values;
      for (auto& each : of_each) each ^= step.values[who];
      switch (step.kind) {
        case 0: break;
        case 1: logs[who].push_back(step.values[step.root]); break;
        case 2: logs[who].push_back(step.values[who]); break;
        case 3: logs[who].push_back(digest(root ? step.values : std::vector<std::uint64_t>())); break;
        case 4: logs[who].push_back(digest(step.values)); break;
        case 5: logs[who].push_back(digest(root ? all : Affine{})); break;
        case 6: logs[who].push_back(digest(all)); break;
        case 7: logs[who].push_back(digest(before = then(before, affine(step.values[who])))); break;
        case 8:
          logs[who].push_back(digest(before_from));
          before_from = then(before_from, affine(step.values[who]));
          break;
        case 9: logs[who].push_back(digest(of_each)); break;
        default: logs[who].push_back(digest(parts[step.values[who] % 3]));
      }
    }
  }
  return logs;
}

namespace {

class Play : public process_tests::EveryPlace {};

TEST_P(Play, ARandomProgramOfCollectivesDoesWhatItsModelDoes) {
  for (std::size_t n : {1, 2, 3, 5, 8, 13}) {
    auto g = ov::make_group<Player>(here, n);
    for (std::uint64_t seed : {n, n + 100, n + 200}) EXPECT_EQ(g->play(seed, 60), model_of_play(seed, 60, n)) << n << " members, seed " << seed;
    for (const auto& each : g) ov::destroy(each);
  }
}

INSTANTIATE_TEST_SUITE_P(, Play, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
