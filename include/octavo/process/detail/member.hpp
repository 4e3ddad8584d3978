// SPDX-License-Identifier: Apache-2.0
// What the layer of groups needs of the endpoint of the object it runs in: group messages from member to member, which are no calls (nothing
// runs when one comes; the thread that waits for it takes it), and the deaths of members.
//
//   send_group_message(members[3], {round, group, collective, my_index}, group_message::value, out);
//   wire::Message answer = await_group_message({round, group, collective, 3}, "barrier", watch, ask).message;
//
// Threading: any thread of the object's process that has its endpoint; one at a time for one group.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <typeinfo>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/wire/archive.hpp"
#include "octavo/wire/call_to_all.hpp"

namespace octavo::detail {

// GroupMessages of one key come in the order in which they were sent.
struct GroupMessageKey {
  std::uint64_t round = 0;  // the call to all of the group in which it is; 0: in none
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;  // which collective of the group in that call
  std::uint32_t from = 0;      // the sender's index
  auto operator<=>(const GroupMessageKey&) const = default;
};

enum class group_message : std::uint8_t {
  value,
  failure,   // the sender's collective failed, and so does everybody's: an encoded exception
  question,  // the sender waits long: a text that says in what, and the index of the member that is asked. One in that collective with another text fails it
             // for all
  answer,    // to a question, by a member that has left that collective: the text it had
  left_out,  // the same by one that has answered the call without calling that collective: an encoded exception, if it was answered by one
  all_came,  // to one that goes by shared memory: who sleeps there is to look
};

// Whether one of them is dead; asked again only when something has changed. What becomes of other lives of theirs is none of its business.
class DeathWatch {
 public:
  explicit DeathWatch(std::vector<Life> members) : members_(std::move(members)) {}
  // Asks the agent to tell of these deaths.
  void begin();
  [[nodiscard]] const Obituary* look();
  [[nodiscard]] const std::vector<Life>& members() const noexcept { return members_; }

 private:
  std::vector<Life> members_;
  std::uint64_t seen_ = 0;
  std::optional<Obituary> dead_;
};

// Throws process_died when the agent has told of it; gone_error if it does not.
[[noreturn]] void raise_death(const Life& of);

// The object this thread belongs to. Throws usage_error where there is none.
const ProcessFacts& facts_of_object();
// Throws usage_error if it is not (derived from) this class. During its constructor and destructor it is believed.
void check_object(const std::type_info& type, std::string_view class_name);
// The call to all that this method runs in.
CallToAll call_to_all_here();
// What the layer of groups keeps with the object; made when it is asked for first.
void* kept_with_object(const std::function<std::shared_ptr<void>()>& make);
// One that no object of any program gets twice, or another gets.
std::uint64_t new_number();

void send_group_message(const Life& to, const GroupMessageKey& key, group_message what, wire::Outgoing& out);
void send_failure(const Life& to, const GroupMessageKey& key, const std::exception_ptr& error, const std::string& during) noexcept;
// Puts the key and the kind into the header, and behind what is encoded. Last.
void address_group_message(wire::Outgoing& out, const GroupMessageKey& key, group_message what);
// From now on this object is in this collective: older group messages of the group are dropped, questions are compared with the text. Gives the error of
// an earlier one that nobody could see then; null if there is none.
std::exception_ptr enter_collective(const GroupMessageKey& mine, const std::string& text);
void leave_collective(const GroupMessageKey& mine, bool well);
// Nothing is known of this group any more: what is kept of it goes.
void forget_group(std::uint64_t group);
struct Awaited {
  wire::Message message;         // if there is no error
  std::exception_ptr error;      // call_cycle; process_died when a member is dead; what a failure group message says; gone_error when the agent is gone
  bool everybody_knows = false;  // of the error
};
// Waits for the next value in what `during` says; calls `ask` when that takes long, again and again. `came`: or until this is true, without a message then.
Awaited await_group_message(const GroupMessageKey& key, const std::string& during, DeathWatch& deaths, const std::function<void()>& ask,
                            const std::function<bool()>& came = {});

// Two members have called different collectives: the error of both.
usage_error different_collectives(std::uint32_t mine, const std::string& my_text, std::uint32_t other, const std::string& other_text);

// How many connections the object this thread belongs to has: for tests.
std::size_t connections_of_object();

}  // namespace octavo::detail
