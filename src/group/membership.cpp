// SPDX-License-Identifier: Apache-2.0
#include "octavo/group/detail/membership.hpp"

#include <algorithm>
#include <set>

#include "group/board.hpp"
#include "octavo/group/detail/built_in.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {

// What an object keeps of its groups.
struct Memberships {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Membership>> founded;
  std::map<std::uint64_t, std::weak_ptr<Membership>> split;
  std::uint64_t last = 0;
};

Memberships& memberships() {
  return *static_cast<Memberships*>(kept_with_object([] { return std::make_shared<Memberships>(); }));
}

// SplitMix64's finalizer.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Which life of each member it is, as far as that is known; 0: it is not, or the member has only one.
using Lives = std::vector<std::int64_t>;

struct Invitation {
  Founding group;
  std::uint32_t index = 0;
  Lives lives;
  std::shared_ptr<Board> board;
};

// What all members will share, if they are of one machine and program, which is the caller's: this one's reference, while it is given to them.
class BoardPage : NoCopy {
 public:
  explicit BoardPage(const Founding& group) : pool_(Endpoint::require().around().pool) {
    const auto mine = Endpoint::require().around().self.address;
    const auto is_beside = [&](const Address& each) { return each.agent == mine.agent && !each.lasting() && !mine.lasting(); };
    if (std::all_of(group.members.begin(), group.members.end(), is_beside)) page_ = Board::make_page(pool_, group.members.size());
  }
  ~BoardPage() {
    if (page_) pool_.release(*page_);
  }
  void put(wire::Encoder& out) const {
    out(page_.has_value());
    if (!page_) return;
    auto given = *page_;
    given.in_common = 1;
    pool_.share(given);
    out.put_page(given, &pool_);
  }

 private:
  Pool& pool_;
  std::optional<wire::PageRef> page_;
};

std::int64_t present_life() {
  const auto& facts = facts_of_object();
  return facts.address.lasting() ? facts.pid : 0;
}

// Whether all that the member must know of the others' lives is said, and this is the life of it that is meant.
bool is_for_this_life(const Invitation& to) {
  for (std::size_t i = 0; i < to.lives.size(); ++i)
    if (to.group.members[i].lasting() != (to.lives[i] != 0)) return false;
  return to.lives[to.index] == present_life();
}

void join(Invitation to) {
  std::vector<Life> lives;
  for (std::size_t i = 0; i < to.lives.size(); ++i) lives.emplace_back(to.group.members[i], to.lives[i]);
  to.group.lives = std::move(to.lives);
  const auto id = to.group.id;
  auto joined = std::make_shared<Membership>(std::move(to.group), std::move(lives), to.index);
  joined->share(std::move(to.board));
  joined->deaths().begin();
  auto& mine = memberships();
  std::lock_guard lock(mine.mutex);
  mine.founded.insert_or_assign(id, std::move(joined));
  mine.last = id;
}

// Two calls that every object answers, whatever its class. To be invited: with the life that was asked.
void run_join(Hosted&, wire::Message& message, const Reply& reply) {
  Invitation to;
  wire::Decoder in(message);
  in(to.group);
  in(to.index);
  in(to.lives);
  bool has_board = false;
  in(has_board);
  const auto size = to.group.members.size();
  if (to.index >= size || to.lives.size() != size) throw io_error("a group of " + std::to_string(size) + " has no member " + std::to_string(to.index));
  if (has_board)
    to.board = std::make_shared<Board>(Endpoint::require().around().pool.shared_from_this(), in.take_page(), to.index, static_cast<std::uint32_t>(size));
  memberships();  // so it stays awake
  if (is_for_this_life(to)) join(std::move(to));
  reply.value([](wire::Encoder& out) { out(present_life()); });
}
void run_pass(Hosted&, wire::Message&, const Reply& reply) {
  reply.value([](wire::Encoder&) {});
}

const Method* const join_method = register_for_all("octavo::group::join", &run_join);
const Method* const pass_method = register_for_all("octavo::group::pass", &run_pass);

void check(const Founding& group) {
  if (group.members.empty()) throw usage_error("a group of nobody was made", "Give it a member");
  std::set<Address> seen;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (!group.members[i]) throw usage_error("pointer " + std::to_string(i) + " of a new group points nowhere", "Make the object first");
    if (!seen.insert(group.members[i]).second)
      throw usage_error("process " + std::to_string(group.members[i].object) + " is in a new group twice, the second time as member " + std::to_string(i),
                        "Name each member once");
  }
}

}  // namespace

std::exception_ptr naming_member(const std::exception_ptr& thrown, const Founding& group, std::size_t index) {
  try {
    std::rethrow_exception(thrown);
  } catch (std::exception& e) {
    // What arrived from elsewhere keeps its text (C-5).
    if (auto* from = dynamic_cast<remote_origin*>(&e)) from->trace.push_back("as " + member_text(group, index));
    else if (auto* ours = dynamic_cast<error*>(&e)) ours->add_context(member_text(group, index));
    return std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

Membership::Membership(Founding of, std::vector<Life> lives, std::uint32_t index, const Membership* part_of)
    : of_(std::move(of)), index_(index), deaths_(std::move(lives)) {
  for (const auto& each : of_.members) machines_.push_back(each.agent);
  if (part_of != nullptr) called_as_ = part_of->called_as_;
  called_as_.insert(of_.id);
}

GroupMessageKey Membership::next(const CallToAll& call) {
  constexpr std::size_t most = 32;
  if (!call || !called_as_.contains(call.group)) {
    in_round_ = &alone_;
    return {0, of_.id, ++alone_.sequence, index_};
  }
  auto at = std::find_if(rounds_.begin(), rounds_.end(), [&](const Round& each) { return each.number == call.number; });
  if (at == rounds_.end()) {
    if (rounds_.size() == most) rounds_.pop_front();
    at = rounds_.insert(rounds_.end(), {call.number, 0});
  }
  in_round_ = &*at;
  return {call.number, of_.id, ++at->sequence, index_};
}

const Tree& Membership::tree(std::uint32_t root) {
  constexpr std::size_t most = 16;  // a tree has an entry for each member
  if (trees_.size() == most && !trees_.contains(root)) trees_.clear();
  auto [at, fresh] = trees_.try_emplace(root);
  if (fresh) at->second = tree_of(machines_, index_, root);
  return at->second;
}

std::string member_text(const Founding& group, std::size_t index) {
  return "member " + std::to_string(index) + " of " + std::to_string(group.members.size()) + " of a group of " + group.class_name;
}

void Membership::check_index(std::size_t index, const char* what) const {
  if (index < size()) return;
  throw usage_error(std::string(what) + " " + std::to_string(static_cast<std::int64_t>(index)) +  // -1, as it was written
                        " of a group of " + std::to_string(size()) + " " + of_.class_name,
                    "Name a member by its index, from 0 to " + std::to_string(size() - 1));
}

std::uint64_t new_group_id() {
  std::uint64_t id = mix(new_number());
  return id != 0 ? id : 1;
}

std::uint64_t split_id(const GroupMessageKey& split, std::int64_t color) {
  std::uint64_t id = mix(mix(mix(split.round) + split.group + split.sequence) + static_cast<std::uint64_t>(color));
  return id != 0 ? id : 1;
}

// Until all have joined and been told the lives of all: a group of objects with names is asked for these first, and again if some came back meanwhile.
void found(Founding& group) {
  constexpr int most_rounds = 10;
  check(group);
  Lives lives(group.members.size());
  for (int round = 0; round < most_rounds; ++round) {
    const auto told = lives;
    const BoardPage board(group);
    call_each(
        group, *join_method,
        [&](wire::Encoder& out, std::uint32_t index) {
          out(group);
          out(index);
          out(told);
          board.put(out);
        },
        [&](wire::Message& answer, std::uint32_t index) {
          wire::Decoder in(answer);
          in(lives[index]);
        });
    if (lives == told) {
      group.lives = std::move(lives);
      return;
    }
  }
  throw gone_error("objects with names ended and came back all the time while a group of " + group.class_name + " was made of them",
                   "See why they end: octavo ps, and their last lines");
}

void barrier_from_outside(const Founding& group) {
  call_each(
      group, *pass_method, [](wire::Encoder&, std::uint32_t) {}, [](wire::Message&, std::uint32_t) {});
  for (const auto& each : group.members) raise_lost_errors(each);
}

std::shared_ptr<Membership> membership_in(std::uint64_t id) {
  auto& mine = memberships();
  const auto call = call_to_all_here();
  std::lock_guard lock(mine.mutex);
  if (id == 0) id = mine.founded.contains(call.group) ? call.group : mine.last;
  if (auto found = mine.founded.find(id); found != mine.founded.end()) return found->second;
  if (auto found = mine.split.find(id); found != mine.split.end()) return found->second.lock();
  return nullptr;
}

void keep_split(const std::shared_ptr<Membership>& part) {
  auto& mine = memberships();
  std::lock_guard lock(mine.mutex);
  std::erase_if(mine.split, [](const auto& each) {
    if (each.second.expired()) forget_group(each.first);
    return each.second.expired();
  });
  mine.split.insert_or_assign(part->of().id, part);
}

void raise_no_member(std::uint64_t id) {
  const auto& facts = facts_of_object();
  // Called as a member that died: the caller and the other members hear of that death, and so does whoever called this one (G-9).
  const auto call = call_to_all_here();
  if (call.life != 0 && call.life != facts.pid && (id == 0 || id == call.group)) raise_death({facts.address, call.life});
  std::string who = facts.class_name + " (process " + std::to_string(facts.address.object) + ")";
  if (id == 0)
    throw usage_error(who + " is in no group", facts.address.lasting()
                                                   ? "Make one of it: octavo::group<Class> g(p0, p1, ...); again, if it came back after its end"
                                                   : "Make one of it first: octavo::group<Class> g(p0, p1, ...)");
  throw usage_error(who + " is no member of the group that was given to octavo::self",
                    facts.address.lasting() ? "Name a group it is in; a process that came back after its end is in none: make the group again"
                                            : "Name a group it is in; a part that split() made lasts as long as its member");
}

}  // namespace octavo::detail
