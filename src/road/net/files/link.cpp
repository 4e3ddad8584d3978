// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/link.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "road/net/files/folder/life.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {

namespace {

constexpr std::size_t most_messages = 32, most_bytes = 4 << 20;
constexpr std::size_t most_rooms = 64;  // for one message: what it has behind them is copied
constexpr int most_dying_ms = 500;
constexpr auto silence = std::chrono::seconds(60);
// Until what the other side has put has come: one that has closed, or one of which nothing is known.
constexpr auto until_last = std::chrono::milliseconds(2000), until_known = std::chrono::milliseconds(100);

// The front of pieces, as far as one message goes, behind its head.
std::vector<ByteView> front_of(std::span<const ByteView> pieces, std::size_t skip) {
  std::vector<ByteView> front(1);
  std::size_t room = most_in_message;
  for (auto piece : pieces) {
    const std::size_t passed = std::min(skip, piece.size()), n = std::min(piece.size() - passed, room);
    skip -= passed;
    room -= n;
    if (n != 0) front.push_back(piece.subspan(passed, n));
  }
  return front;
}

}  // namespace

FilesLink::FilesLink(Ends ends, bool inotify) : ends_(std::move(ends)), in_(ends_.in), waker_(ends_.in, {.inotify = inotify}), behind_(most_in_message + 1) {
  other_.is_apart = ends_.elsewhere != nullptr;
  if (other_.is_apart) out_ = std::move(ends_.elsewhere);
  else out_ = std::make_shared<FolderOutbox>(ends_.out);
  if (out_->descriptor() >= 0) waker_.watch(out_->descriptor());
  const std::string own = text_of(own_life());
  const std::array pieces{ByteView(), std::as_bytes(std::span(own))};
  if (!put(content::greeting, pieces)) throw io_error("there is no room for a message in '" + out_->place() + "'", "Free some (`df`)");
  waker_.wake();
}

// A dialer is the first to leave where its program dies, whose descriptors are closed some time before it counts as dead.
FilesLink::~FilesLink() {
  close();
  leave(ends_.connection, [this] { return other_.is_apart || other_is_dead(ends_.run == nullptr && !other_.is_of_own_process ? most_dying_ms : 0); });
}

bool FilesLink::other_is_dead(int wait_ms) const {
  pollfd poll{other_.process.get(), POLLIN, 0};
  return other_.is_dead || (other_.process && ::poll(&poll, 1, wait_ms) == 1);
}

short FilesLink::events(bool /*sending*/) const { return POLLIN; }  // receipts make room, and come as messages do
std::chrono::milliseconds FilesLink::least_silence() const { return silence; }

bool FilesLink::has_window() const { return on_the_way_.size() < most_messages && bytes_on_the_way_ < most_bytes; }

// The first piece is the head's place. False: there is no room for it.
bool FilesLink::put(content what, std::span<const ByteView> pieces) {
  Head head{.what = what, .number = next_out_, .received = received_};
  const auto payload = pieces.subspan(1);
  for (auto piece : payload) head.size += piece.size();
  head.is_lent = may_lend(head) ? 1 : 0;
  seal(head, payload);
  std::vector<ByteView> all(pieces.begin(), pieces.end());
  all.front() = std::as_bytes(std::span(&head, 1));
  if (is_mute()) return false;
  const bool fits = try_out([&] { return head.is_lent != 0 ? out_->lend(next_out_, all) : out_->put(next_out_, all); }) || is_mute();  // OB-2
  if (!fits && !std::exchange(is_full_, true)) log_line("there is no room for messages in '" + out_->place() + "': they wait until there is");
  if (!fits) return false;
  is_full_ = false;
  told_ = received_;
  untold_bytes_ = 0;
  if (what == content::bytes) {
    on_the_way_.push_back({next_out_, head.size, head.is_lent != 0});
    bytes_on_the_way_ += head.size;
  }
  ++next_out_;
  return true;
}

// FL-10
bool FilesLink::may_lend(const Head& head) const {
  return other_.is_beside && waker_.is_told() && head.what == content::bytes && out_->may_lend(sizeof head + head.size);
}

std::size_t FilesLink::send(std::span<const ByteView> pieces) {
  std::size_t taken = 0;
  guarded([&] {
    while (!lost_ && !ended_) {
      const auto front = front_of(pieces, taken);
      if (front.size() == 1) return;
      if (!has_window()) {
        waker_.clear();
        if (look()) waker_.wake();  // receive() has something to do
      }
      if (!has_window() || is_mute()) return sleep();
      if (!put(content::bytes, front)) return waker_.sleep_briefly();
      taken += on_the_way_.back().bytes;
    }
    waker_.wake();  // the end is to be received
  });
  return taken;
}

std::size_t FilesLink::receive(std::span<const ByteSpan> into) {
  Rooms rooms(into);
  const auto all = rooms.size();
  guarded([&] {
    if (lost_) return;
    waker_.clear();
    while (rooms.size() != 0) {
      if (!look(&rooms)) {
        if (ended_) lose("the other side has closed it");
        else sleep();
        return;
      }
      bytes_ = bytes_.subspan(rooms.put(bytes_));
    }
    waker_.wake();  // nobody has looked whether that was all
  });
  return all - rooms.size();
}

// FL-9: who cannot send any more may still receive.
bool FilesLink::try_out(const std::function<bool()>& work) {
  try {
    return work();
  } catch (const error& e) {
    if (!other_.is_apart) throw;
    mute_.why = e.what();
    mute_.longest = e.kind() == error_kind::gone ? until_last : until_known;
    mute_.until = Clock::now() + mute_.longest;
  }
  return false;
}

void FilesLink::move() {
  if (ends_.beat) ends_.beat();
  if (!other_.is_apart || is_mute()) return;
  try_out([this] {
    out_->move();
    return true;
  });
}

bool FilesLink::look(Rooms* rooms) {
  move();
  const auto room = rooms != nullptr ? rooms->size() : 0;
  const auto is_here = [&] { return !bytes_.empty() || (rooms != nullptr && rooms->size() != room); };
  while (!is_here() && !ended_) {
    if (waker_.may_find() && take_next(rooms)) continue;
    if (Clock::now() >= mute_.until) {
      if (take_next(rooms)) continue;
      lose(mute_.why);
      return false;
    }
    if (!other_is_dead()) break;
    if (take_next(rooms)) continue;  // what it put before it died
    lose("the process at the other side has ended");
    return false;
  }
  confirm();
  return is_here();
}

// What is read of a file that is not whole lies where nothing was received yet.
bool FilesLink::take_next(Rooms* rooms) {
  if (!greeted_) rooms = nullptr;
  std::vector<ByteSpan> into{std::as_writable_bytes(std::span(&head_, 1))};
  const std::size_t in_rooms = rooms != nullptr ? rooms->add_to(into, most_rooms) : 0;
  into.emplace_back(behind_);
  const auto size = in_.read(next_in_, into);
  if (!size) {
    broken_until_ = never;  // taken back
    waker_.nothing_there();
    return false;
  }
  std::vector<ByteView> came;
  std::size_t left = *size - std::min(*size, sizeof(Head));
  for (auto each : std::span(into).subspan(1)) left -= came.emplace_back(each.first(std::min(each.size(), left))).size();
  if (*size < sizeof(Head) || !is_whole(head_, came, next_in_)) return await_whole();
  broken_until_ = never;
  hear_receipt(head_);  // a message that confirms what was not sent does not count
  if (is_mute()) mute_.until = Clock::now() + mute_.longest;
  if (head_.is_lent == 0) in_.remove(next_in_);
  ++next_in_;
  waker_.came();
  const std::size_t in_place = std::min<std::size_t>(in_rooms, head_.size);
  if (in_place != 0) rooms->pass(in_place);
  bytes_ = ByteView(behind_).first(head_.size - in_place);
  hear(head_);
  return true;
}

bool FilesLink::await_whole() {
  if (broken_until_ == never) broken_until_ = Clock::now() + silence;
  if (Clock::now() >= broken_until_)
    throw io_error("message " + std::to_string(next_in_) + " in '" + ends_.in + "' is not whole after a minute",
                   "Its file system loses what is written, or somebody has changed it");
  return false;
}

void FilesLink::hear_receipt(const Head& head) {
  if (head.received < confirmed_ || head.received - confirmed_ > on_the_way_.size())
    throw refused("the other side of a link by files confirms messages that were not on the way to it", "Check that both run the same Octavo");
  for (; confirmed_ < head.received; ++confirmed_) {
    const auto& read = on_the_way_.front();
    bytes_on_the_way_ -= read.bytes;
    if (read.is_lent) out_->was_read(read.number);
    on_the_way_.pop_front();
  }
}

void FilesLink::hear(const Head& head) {
  ended_ = head.what == content::last;
  if (head.what == content::bytes) {
    ++received_;
    untold_bytes_ += head.size;
    return;
  }
  if (head.what == content::greeting) greet(bytes_);
  bytes_ = {};
}

void FilesLink::sleep() {
  if (broken_until_ != never || other_.is_dead || is_mute() || out_->tries_again()) waker_.sleep_briefly();
  else waker_.sleep();
}

void FilesLink::greet(ByteView text) {
  greeted_ = true;
  if (other_.is_apart) return;
  const Life life = life_of(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  other_.is_of_own_process = life.pid == own_life().pid;
  const auto seen = look_at(life);
  other_.is_dead = seen == known::dead;
  other_.is_beside = seen == known::lives;
  other_.process = watch(life);
  if (other_.process) waker_.watch(other_.process.get());
}

bool FilesLink::is_greeted() {
  guarded([this] {
    waker_.clear();
    if (look()) waker_.wake();
    else sleep();
  });
  return greeted_;
}

void FilesLink::confirm() {
  if (ended_ || (received_ - told_ < most_messages / 2 && untold_bytes_ < most_bytes / 2)) return;
  const ByteView none;
  static_cast<void>(put(content::receipt, std::span(&none, 1)));  // where there is no room: with the next look
}

void FilesLink::close() {
  if (lost_) return;
  guarded([this] {
    const ByteView none;
    if (!ended_) static_cast<void>(put(content::last, std::span(&none, 1)));
    out_->release();
  });
  lose("closed by this side");
}

// What the other side does is no error here (L-6).
void FilesLink::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const error& e) {
    lose(e.what());
  }
}

void FilesLink::lose(const std::string& why) {
  if (std::exchange(lost_, true)) return;
  why_ = why;
  waker_.wake();
}

}  // namespace octavo::road::files
