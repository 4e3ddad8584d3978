// SPDX-License-Identifier: Apache-2.0
#include "octavo/group/detail/collective.hpp"

#include <algorithm>
#include <functional>

#include "group/board.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/loss.hpp"

namespace octavo::detail {

namespace {
constexpr std::uint64_t furthest_ahead = 16;  // collectives
constexpr std::size_t longest_text = 300;     // it travels with each group message, and must not become bulk
static_assert(Collective::most_shared == Board::most_bytes);

// Never that of another collective of the group, or of this one with another text.
std::uint64_t stamp_of(const GroupMessageKey& key, const std::string& text, std::uint64_t share) {
  return static_cast<std::uint64_t>(split_id({key.round, std::hash<std::string>()(text), key.sequence, 0}, static_cast<std::int64_t>(share)));
}
}  // namespace

Collective::Collective(Membership& of, std::string text) : of_(of), text_(std::move(text)) {
  if (of_.busy_.exchange(true))
    throw usage_error(member_text(of_.of(), of_.index()) + " called " + text_ + " while it is in another collective of the same group",
                      "Call one at a time: not from a callback that runs meanwhile, and from one thread; or use another group");
  if (text_.size() > longest_text) text_.resize(longest_text);
  mine_ = of_.next(call_to_all_here());
  earlier_ = enter_collective(mine_, text_);
}

Collective::~Collective() {
  if (shares_ != 0) of_.board_->leave(!failed_);
  of_.in_round_->may_lag = failed_ || !leaves_late_;
  leave_collective(mine_, !failed_);
  of_.busy_.store(false);
}

void Collective::begin(spacing how) {
  leaves_late_ = how == spacing::together;
  lagged_ = std::exchange(of_.in_round_->may_lag, true);
  if (const auto* dead = of_.deaths_.look()) {
    everybody_knows_ = !is_unreached(*dead);
    try {
      raise_loss(*dead);
    } catch (error& e) {
      e.add_context(text_);
      throw;
    }
  }
  if (earlier_) std::rethrow_exception(earlier_);
  if (how == spacing::bounded && mine_.sequence % furthest_ahead == 0) meet();
}

// What members that left the last collective early have sent, maybe of another one, shows by the messages of this one: then it goes by messages, too.
bool Collective::share(const std::optional<ByteView>& gives) {
  auto* board = of_.board_.get();
  if (board == nullptr || !leaves_late_) return false;
  for (auto reads = board->awaits_room_of(); reads != board->size(); reads = board->awaits_room_of())
    take(reads, [&] { return board->awaits_room_of() != reads; });
  board->put(stamp_of(mine_, text_, ++shares_), lagged_ ? std::nullopt : gives);
  if (!board->poll()) await_all_on_board(*board);
  if (board->any_sleeps()) wake_on_board(*board);
  return board->all_gave();
}

void Collective::await_all_on_board(Board& board) {
  const Board::Asleep asleep(board);
  for (auto missing = board.first_missing(); missing != board.size(); missing = board.first_missing()) take(missing, [&] { return board.has_come(missing); });
}

// Each tells those whom it has to do with in any case; and they tell others.
void Collective::wake_on_board(const Board& board) {
  const auto wake = [&](std::uint32_t member) {
    if (!board.sleeps(member)) return;
    try {
      wire::Outgoing out;
      send_group_message(of_.lives()[member], mine_, group_message::all_came, out);
    } catch (const error&) {}  // it is gone
  };
  const Tree& way = tree(0);
  if (way.parent) wake(*way.parent);
  for (const auto& branch : way.branches) wake(branch.child);
}

std::array<std::byte, Collective::most_shared> Collective::shared_bytes(std::uint32_t member) const { return of_.board_->given_by(member); }

void Collective::meet() {
  if (share(ByteView())) return;
  const Tree& way = tree(0);
  bool here = true;
  for (const auto& branch : way.branches) receive<bool>(branch.child);
  if (way.parent) {
    send(*way.parent, here);
    receive<bool>(*way.parent);
  }
  for (auto at = way.branches.rbegin(); at != way.branches.rend(); ++at) send(at->child, here);
}

void Collective::post(std::uint32_t to, wire::Outgoing& out) { send_group_message(of_.lives()[to], mine_, group_message::value, out); }

wire::Message Collective::take(std::uint32_t from, const std::function<bool()>& came) {
  GroupMessageKey key = mine_;
  key.from = from;
  auto ask = [&] {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(text_);
    encoder(from);
    send_group_message(of_.lives()[from], mine_, group_message::question, out);
  };
  auto awaited = await_group_message(key, text_, of_.deaths_, ask, came);
  if (awaited.error) {
    everybody_knows_ = awaited.everybody_knows;
    try {
      std::rethrow_exception(awaited.error);
    } catch (process_died& e) {
      if (origin(e) == nullptr) e.add_context(text_);
      throw;
    }
  }
  if (came && came()) return {};
  std::string theirs;
  wire::Decoder in(awaited.message);
  in(theirs);
  if (theirs != text_) throw different_collectives(mine_.from, text_, from, theirs);
  return std::move(awaited.message);
}

void Collective::fail(const std::exception_ptr& error) noexcept {
  failed_ = true;
  if (everybody_knows_) return;
  try {
    std::rethrow_exception(error);
  } catch (const process_died& e) {  // of a member, met while sending to it: each is told by its agent
    const auto& facts = e.obituary().facts;
    if (std::any_of(of_.lives().begin(), of_.lives().end(), [&](const Life& member) { return member.is_of(facts); })) return;
  } catch (...) {}
  std::string during = text_ + ", " + member_text(of_.of(), mine_.from);
  for (std::uint32_t i = 0; i < of_.size(); ++i)
    if (i != mine_.from) send_failure(of_.lives()[i], mine_, error, during);
}

}  // namespace octavo::detail
