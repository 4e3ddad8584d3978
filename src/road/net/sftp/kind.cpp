// SPDX-License-Identifier: Apache-2.0
#include "road/net/sftp/kind.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/road/steady_link.hpp"
#include "road/net/files/calls.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"
#include "road/net/sftp/outbox.hpp"
#include "road/net/tls/host_and_port.hpp"

namespace octavo::road::sftp {

namespace {

constexpr std::string_view command_mark = " by ";
constexpr const char* usual_command = "ssh -o BatchMode=yes {}";
constexpr auto longest_greeting = std::chrono::seconds(60);
constexpr int most_sleep_ms = 100;  // until the deadline is looked at

struct Where {
  std::string place, command;
};
Where split(const std::string& where) {
  const auto mark = where.rfind(command_mark);
  if (mark == std::string::npos) return {where, usual_command};
  return {where.substr(0, mark), where.substr(mark + command_mark.size())};
}

std::unique_ptr<Session> log_in(const LinkTerms& terms, const std::string& command, const std::string& host) {
  if (!terms.run) throw usage_error("a link by sftp runs commands, and its terms say not how");
  return std::make_unique<Session>(Session::How{.run = terms.run, .words = words_for(command, host), .host = host});
}

void beat_now_and_then(files::RunDirectory& run, Deadline& next) {
  if (Clock::now() < next) return;
  next = Clock::now() + files::between_beats;
  run.beat();
}

std::string temporary() { return std::filesystem::temp_directory_path().string(); }

// What a caller says: SK-2.
struct Caller {
  std::string machine, connection, name;  // its connection's directory there, and what it is called here
  [[nodiscard]] std::string text() const { return machine + '\n' + connection + '\n' + name; }
};
Caller caller_of(const std::string& text) {
  Caller caller;
  std::istringstream lines(text);
  for (auto* each : {&caller.machine, &caller.connection, &caller.name}) std::getline(lines, *each);
  caller.name = std::filesystem::path(caller.name).filename().string();
  if (caller.connection.empty() || caller.connection.front() != '/' || caller.name.empty())
    throw refused("it says not where its messages go", "Install the same Octavo on both machines");
  return caller;
}

class Listener final : public LinkListener {
 public:
  Listener(std::string host, std::string command, const LinkTerms& terms)
      : host_(std::move(host)),
        command_(std::move(command)),
        terms_(terms),
        run_(std::make_shared<files::RunDirectory>(temporary())),
        calls_(files::calls_of(run_->path())),
        waker_(files::calls_of(run_->path()), {.linked = true, .trusted = false, .longest_pause = std::chrono::seconds(1)}) {
    waker_.wake();
  }
  [[nodiscard]] std::string address() const override { return std::string(kind.scheme) + "://" + host_ + run_->path() + std::string(command_mark) + command_; }
  [[nodiscard]] int descriptor() const override { return waker_.descriptor(); }

  std::vector<std::unique_ptr<Link>> take() override {
    waker_.clear();
    while (const auto said = calls_.next()) {
      waker_.came();
      hear(*said);
    }
    std::vector<std::unique_ptr<Link>> links;
    std::erase_if(greeting_, [&](Greeting& each) { return greet(each, links); });
    waker_.sleep();
    beat_now_and_then(*run_, next_beat_);
    return links;
  }

 private:
  struct Greeting {
    std::unique_ptr<files::FilesLink> link;
    std::string machine;
    Deadline until;
  };

  void hear(const std::string& said) {
    try {
      const auto caller = caller_of(said);
      const std::string here = run_->path() + "/" + caller.name;
      auto link = std::make_unique<files::FilesLink>(
          files::FilesLink::Ends{.in = files::to_owner(here),
                                 .out = {},
                                 .connection = here,
                                 .run = run_,
                                 .elsewhere = std::make_unique<SftpOutbox>(log_in(terms_, command_, caller.machine), files::to_dialer(caller.connection))});
      waker_.watch(link->descriptor());
      greeting_.push_back({std::move(link), caller.machine, Clock::now() + longest_greeting});
    } catch (const error& failure) {  // that caller's loss only
      log_line("a call by sftp: " + std::string(failure.what()));
    }
  }

  // True when it is done with.
  bool greet(Greeting& each, std::vector<std::unique_ptr<Link>>& links) {
    const bool greeted = each.link->is_greeted();
    if (each.link->lost()) log_line("a link by sftp with " + each.machine + ": " + each.link->why());
    if (each.link->lost() || Clock::now() > each.until) return true;
    if (!greeted || !each.link->is_settled()) return false;
    waker_.unwatch(each.link->descriptor());
    links.push_back(std::move(each.link));
    return true;
  }

  const std::string host_, command_;
  const LinkTerms terms_;
  std::shared_ptr<files::RunDirectory> run_;
  files::Calls calls_;
  files::Waker waker_;
  std::vector<Greeting> greeting_;
  Deadline next_beat_ = Clock::now() + files::between_beats;
};

// Asks one thing after the other, before there is a link.
class Asking {
 public:
  Asking(Session& session, Deadline deadline) : session_(session), deadline_(deadline) {}

  Reply ask(request what, const std::function<Packet(Packet)>& say, Session::Bulk bulk = {}) {
    std::optional<Reply> came;
    const auto number = session_.number();
    session_.ask(
        number, say(Packet(what, number)), [&came](const Reply& reply) { came = reply; }, std::move(bulk));
    for (session_.move(); !came; session_.move()) {
      if (Clock::now() >= deadline_)
        throw timed_out("the server for sftp of '" + session_.host() + "' does not answer until the deadline", "Look whether a login there takes that long");
      pollfd poll{session_.descriptor(), POLLIN, 0};
      ::poll(&poll, 1, most_sleep_ms);
    }
    return *came;
  }
  Reply must(request what, const std::string& doing, const std::function<Packet(Packet)>& say, Session::Bulk bulk = {}) {
    auto reply = ask(what, say, std::move(bulk));
    if (reply.is_ok()) return reply;
    throw io_error(doing + " at '" + session_.host() + "' by sftp: " + (reply.text.empty() ? "it is refused" : reply.text),
                   "Look whether its program still runs, and whether there is room (`df`)");
  }
  void make_directory(const std::string& path) {
    must(request::make_directory, "making '" + path + "'", [&](Packet packet) { return std::move(packet.text(path).u32(has_permissions).u32(0700)); });
  }
  [[nodiscard]] bool is_there(const std::string& path) {
    return ask(request::stat, [&](Packet packet) { return std::move(packet.text(path)); }).is_ok();
  }

  // The next number that nobody has. As the file is made under it, it may be seen before it is whole.
  void call(const std::string& calls, const std::string& said) {
    for (std::uint64_t number = 1;; ++number) {
      const std::string name = calls + "/" + std::to_string(number);
      const auto opened =
          ask(request::open, [&](Packet packet) { return std::move(packet.text(name).u32(for_writing | make | only_new).u32(has_permissions).u32(0600)); });
      if (!opened.is_ok() && is_there(name)) continue;
      if (!opened.is_ok())
        throw io_error("calling at '" + session_.host() + "' by sftp, '" + name + "': " + opened.text, "Look whether its program still runs");
      auto bytes = std::make_shared<std::vector<std::byte>>();
      const files::Call its(number, said);
      for (const auto piece : its.pieces()) bytes->insert(bytes->end(), piece.begin(), piece.end());
      must(request::write, "calling", [&](Packet packet) { return std::move(packet.text(opened.text).u64(0).u32(static_cast<std::uint32_t>(bytes->size()))); },
           {bytes, *bytes});
      must(request::close, "calling", [&](Packet packet) { return std::move(packet.text(opened.text)); });
      return;
    }
  }

 private:
  Session& session_;
  const Deadline deadline_;
};

std::string own_machine(const LinkTerms& terms) {
  if (!terms.machine.empty()) return terms.machine;
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string new_name() {
  constexpr const char* digits = "0123456789abcdef";
  constexpr unsigned half = 4, low = 15;
  std::string name = "c-";
  for (const auto each : road::Session::make().id) {
    name += digits[static_cast<unsigned>(each) >> half];
    name += digits[static_cast<unsigned>(each) & low];
  }
  return name;
}

}  // namespace

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& /*key*/, const LinkTerms& terms) {
  const auto [place, command] = split(where);
  const auto [host, port] = host_and_port(place);
  if (port != 0)
    throw usage_error("a link by sftp listens at no port",
                      "Where sshd listens at another, say so to ssh: link=\"sftp:ssh -p " + std::to_string(port) + " {}\"");
  static_cast<void>(words_for(command, host));
  return std::make_unique<Listener>(host, command, terms);
}

std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& /*key*/, Deadline deadline, const LinkTerms& terms) {
  const auto [place, command] = split(where);
  const auto slash = place.find('/');
  if (slash == std::string::npos) throw usage_error("'" + where + "' says no directory", "Write sftp://HOST/DIRECTORY");
  const std::string host = place.substr(0, slash), there = place.substr(slash);
  auto session = log_in(terms, command, host);
  const auto run = std::make_shared<files::RunDirectory>(temporary());
  const Caller caller{.machine = own_machine(terms), .connection = files::connect(run->path()), .name = new_name()};
  const std::string connection = there + "/" + caller.name;
  try {
    Asking asking(*session, deadline);
    asking.make_directory(connection);
    asking.make_directory(files::to_owner(connection));
    asking.call(files::calls_of(there), caller.text());
  } catch (const error&) {
    files::leave(caller.connection, [] { return true; });
    throw;
  }
  auto link =
      std::make_unique<files::FilesLink>(files::FilesLink::Ends{.in = files::to_dialer(caller.connection),
                                                                .out = {},
                                                                .connection = caller.connection,
                                                                .run = run,
                                                                .elsewhere = std::make_unique<SftpOutbox>(std::move(session), files::to_owner(connection)),
                                                                .beat = [run, next = Deadline()]() mutable { beat_now_and_then(*run, next); }});
  while (!link->is_greeted()) {
    if (link->lost()) throw io_error("a link by sftp to '" + host + "' is lost before it began: " + link->why(), "Look whether its program still runs");
    if (Clock::now() >= deadline)
      throw timed_out("no answer from '" + host + "' by sftp until the deadline",
                      "Its program must be able to log in here, at '" + caller.machine + "', as well: its log says what it was told");
    pollfd poll{link->descriptor(), POLLIN, 0};
    ::poll(&poll, 1, most_sleep_ms);
  }
  return link;
}

}  // namespace octavo::road::sftp
