// SPDX-License-Identifier: Apache-2.0
#include "road/net/sftp/outbox.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::road::sftp {

namespace {

constexpr std::size_t made_ahead = 4;  // files: a message that finds one waits for nothing
constexpr auto pause_when_full = std::chrono::milliseconds(50);
constexpr auto longest_linger = std::chrono::seconds(10);
constexpr std::uint64_t room_left = 64 << 10;  // of a disk that is not full, beside a message
constexpr std::uint32_t own_file = 0600;
constexpr const char *rename_over = "posix-rename@openssh.com", *ask_for_room = "statvfs@openssh.com";

}  // namespace

class SftpOutbox::Core {
 public:
  Core(std::unique_ptr<Session> session, std::string directory) : session_(std::move(session)), directory_(std::move(directory)) {}

  void put(std::uint64_t number, std::span<const ByteView> pieces) {
    auto bytes = std::make_shared<std::vector<std::byte>>();
    for (const auto piece : pieces) bytes->insert(bytes->end(), piece.begin(), piece.end());
    waiting_.push_back(std::make_shared<Message>(number, std::move(bytes)));
    move();
  }
  void move() {
    do {  // what an answer has made possible is asked for at once: no other answer may come that tells
      advance();
      session_->move();
    } while (can_advance());
    if (is_gone_) throw gone_error(failure_, cure_);
    if (!failure_.empty()) throw io_error(failure_, cure_);
  }
  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && again_.empty() && on_the_way_ == 0; }
  [[nodiscard]] bool tries_again() const { return !again_.empty() || making_ + files_.size() < made_ahead; }
  [[nodiscard]] std::string place() const { return session_->host() + ":" + directory_; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  struct Message {
    Message(std::uint64_t its, std::shared_ptr<const std::vector<std::byte>> all) : number(its), bytes(std::move(all)) {}
    std::uint64_t number;
    std::shared_ptr<const std::vector<std::byte>> bytes;
    int unanswered = 0;
    Reply bad{};  // the first that was
  };
  using Shared = std::shared_ptr<Message>;
  struct File {
    std::string name, handle;
  };

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }

  void ask(request what, const std::function<Packet(Packet)>& say, Session::Done done, Session::Bulk bulk = {}) {
    const auto number = session_->number();
    ++operations_;
    session_->ask(number, say(Packet(what, number)), std::move(done), std::move(bulk));
  }

  [[nodiscard]] bool makes_files() const { return making_ + files_.size() < made_ahead && Clock::now() >= again_at_; }
  [[nodiscard]] bool can_advance() const { return failure_.empty() && ((!waiting_.empty() && !files_.empty()) || makes_files()); }

  void advance() {
    if (!failure_.empty()) return;
    if (!again_.empty() && Clock::now() >= again_at_) {
      waiting_.insert(waiting_.begin(), again_.begin(), again_.end());
      again_.clear();
    }
    while (makes_files()) make_file();
    while (!waiting_.empty() && !files_.empty()) {
      write(waiting_.front(), files_.front());
      waiting_.pop_front();
      files_.pop_front();
    }
  }

  void make_file() {
    const std::string name = path(".a" + std::to_string(++last_file_));
    ++making_;
    ask(
        request::open, [&](Packet packet) { return std::move(packet.text(name).u32(for_writing | make | cut).u32(has_permissions).u32(own_file)); },
        [this, name](const Reply& reply) {
          --making_;
          if (reply.what == answer::handle) files_.push_back({name, reply.text});
          else if (reply.code == status::no_such_file) fail(reply);
          else try_later(reply);
        });
  }

  // SO-1. Whatever is refused of it, all of it is.
  void write(const Shared& message, const File& file) {
    ++on_the_way_;
    const auto heard = [this, message](const Reply& reply) { hear(message, reply); };
    const ByteView all(*message->bytes);
    for (std::size_t at = 0; at < all.size();) {
      const auto part = all.subspan(at, std::min(all.size() - at, session_->longest_write()));
      ++message->unanswered;
      ask(request::write, [&](Packet packet) { return std::move(packet.text(file.handle).u64(at).u32(static_cast<std::uint32_t>(part.size()))); }, heard,
          {message->bytes, part});
      at += part.size();
    }
    message->unanswered += 2;
    const std::string name = path(std::to_string(message->number));
    if (session_->can(rename_over))
      ask(
          request::extended, [&](Packet packet) { return std::move(packet.text(rename_over).text(file.name).text(name)); }, heard);
    else
      ask(
          request::rename, [&](Packet packet) { return std::move(packet.text(file.name).text(name)); }, heard);
    ask(
        request::close, [&](Packet packet) { return std::move(packet.text(file.handle)); }, heard);
  }

  void hear(const Shared& message, const Reply& reply) {
    if (!reply.is_ok() && message->bad.is_ok()) message->bad = reply;
    if (--message->unanswered != 0) return;
    --on_the_way_;
    if (message->bad.is_ok()) {
      is_full_ = false;
      refused_ = 0;
      return;
    }
    const Reply bad = std::exchange(message->bad, {});
    if (bad.code == status::no_such_file) return fail(bad);
    ask(
        request::remove, [&](Packet packet) { return std::move(packet.text(path(std::to_string(message->number)))); }, [](const Reply&) {});
    again_.push_back(message);
    std::ranges::sort(again_, {}, [](const Shared& each) { return each->number; });
    try_later(bad);
  }

  // SO-2: a full disk is waited for, whatever else it is fails.
  void try_later(const Reply& bad) {
    again_at_ = Clock::now() + pause_when_full;
    if (!session_->can(ask_for_room)) return say_full();
    std::uint64_t wanted = room_left;
    for (const auto& each : again_) wanted = std::max<std::uint64_t>(wanted, each->bytes->size() + room_left);
    ask(
        request::extended, [&](Packet packet) { return std::move(packet.text(ask_for_room).text(directory_)); },
        [this, bad, wanted](const Reply& reply) {
          if (reply.what == answer::extended && room_in(reply.rest) < wanted) return say_full();
          if (++refused_ > most_refused) fail(bad);  // another may have made room since
        });
  }

  void say_full() {
    refused_ = 0;
    if (!std::exchange(is_full_, true)) log_line("there is no room for messages in '" + place() + "': they wait until there is");
  }

  void fail(const Reply& bad) {
    if (!failure_.empty()) return;
    is_gone_ = bad.code == status::no_such_file;
    failure_ = "messages cannot be put into '" + place() + "': " + (is_gone_ ? "the directory is not there" : "its server says '" + bad.text + "'");
    cure_ = is_gone_ ? "The other side has ended, or somebody has removed it" : "Check that this user may write there, and has room (`df`, `quota`)";
  }

  static constexpr int most_refused = 20;
  std::unique_ptr<Session> session_;
  const std::string directory_;
  std::deque<Shared> waiting_, again_;
  std::deque<File> files_;
  std::size_t making_ = 0, on_the_way_ = 0;
  std::uint64_t last_file_ = 0, operations_ = 0;
  Deadline again_at_ = Deadline::min();
  bool is_full_ = false, is_gone_ = false;
  int refused_ = 0;
  std::string failure_, cure_;
};

SftpOutbox::SftpOutbox(std::unique_ptr<Session> session, std::string directory)
    : core_(std::make_unique<Core>(std::move(session), std::move(directory))), closed_(::eventfd(1, EFD_CLOEXEC)), place_(core_->place()) {
  if (!closed_) throw io_error_from(errno, "opening a link by sftp");
}
SftpOutbox::~SftpOutbox() { release(); }

bool SftpOutbox::put(std::uint64_t number, std::span<const ByteView> pieces) {
  if (core_) core_->put(number, pieces);
  return core_ != nullptr;
}
void SftpOutbox::move() {
  if (core_) core_->move();
}
int SftpOutbox::descriptor() const { return core_ ? core_->session().descriptor() : closed_.get(); }
bool SftpOutbox::is_settled() const { return core_ && core_->session().is_open() && core_->is_idle(); }
bool SftpOutbox::tries_again() const { return core_ && core_->tries_again(); }
std::string SftpOutbox::place() const { return place_; }
std::uint64_t SftpOutbox::operations() const { return core_ ? core_->operations() : 0; }

void SftpOutbox::release() {
  if (!core_ || core_->is_idle()) return core_.reset();
  start_detached("octavo-linger", [core = std::shared_ptr<Core>(std::move(core_)), until = Clock::now() + longest_linger] {
    try {
      while (!core->is_idle() && Clock::now() < until) {
        pollfd poll{core->session().descriptor(), POLLIN, 0};
        ::poll(&poll, 1, static_cast<int>(pause_when_full.count()));
        core->move();
      }
    } catch (const error&) {}  // the other side has ended
  });
}

}  // namespace octavo::road::sftp
