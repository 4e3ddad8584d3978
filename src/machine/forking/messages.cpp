// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/messages.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::forking {

namespace {
constexpr std::size_t longest_title = 4096, longest_task = longest_title + (64 << 10);
constexpr std::array request_word{'f', 'o', 'r', 'k'};
constexpr auto another_build = "Something else writes to descriptor 3 of a fork server, or it and its agent are of different builds of Octavo";
}  // namespace

bool send(int socket, const Request& request) {
  return datagram::send(MSG_DONTWAIT, socket, std::as_bytes(std::span(request_word)), std::array{request.control.get(), request.errors.get()}) ==
         datagram::sent::whole;
}

bool send(int socket, const Task& task) {
  std::string text = task.title.substr(0, std::min(task.title.find('\0'), longest_title));
  for (const auto& each : task.changes) text.append(1, '\0').append(each);
  const std::array descriptors{task.directory.get(), task.output.get()};
  const auto given = std::span(descriptors).first(task.output ? 2 : 1);
  return task.directory && datagram::send(MSG_DONTWAIT, socket, std::as_bytes(std::span(text)), given) == datagram::sent::whole;
}

bool receive(int socket, Request& into) {
  auto said = request_word;
  datagram::Received came;
  if (datagram::receive(0, socket, std::as_writable_bytes(std::span(said)), came) != datagram::heard::message) return false;
  if (came.descriptors.size() != 2 || came.cut || said != request_word) throw io_error("this is no request for a fork", another_build);
  into.control = std::move(came.descriptors[0]);
  into.errors = std::move(came.descriptors[1]);
  return true;
}

bool receive(int socket, Task& into) {
  std::string text(longest_task, '\0');
  datagram::Received came;
  if (datagram::receive(0, socket, std::as_writable_bytes(std::span(text)), came) != datagram::heard::message) return false;
  if (came.descriptors.empty() || came.descriptors.size() > 2 || came.cut) throw io_error("this is no task of a fork", another_build);
  text.resize(came.bytes);
  into.title = text.substr(0, text.find('\0'));
  into.changes.clear();
  for (std::size_t at = text.find('\0'), next = 0; at != text.npos; at = next) {
    next = text.find('\0', at + 1);
    into.changes.push_back(text.substr(at + 1, next == text.npos ? next : next - at - 1));
  }
  into.directory = std::move(came.descriptors[0]);
  if (came.descriptors.size() == 2) into.output = std::move(came.descriptors[1]);
  return true;
}

Task task_here(std::string title) {
  return {std::move(title), Fd(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)), Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1))};
}

bool send(int socket, const Reply& reply, const Fd& pidfd) {
  const std::array descriptors{pidfd.get()};
  return datagram::send(0, socket, std::as_bytes(std::span(&reply, 1)), std::span(descriptors).first(pidfd ? 1 : 0)) == datagram::sent::whole;
}

datagram::heard receive(int flags, int socket, Forked& into) {
  into = {};
  datagram::Received came;
  const auto what = datagram::receive(flags, socket, std::as_writable_bytes(std::span(&into.reply, 1)), came);
  if (what != datagram::heard::message) return what;
  if (came.bytes != sizeof into.reply || came.cut || (into.reply.error == 0 && into.reply.pid <= 0))
    throw io_error("this is no reply of a fork server", another_build);
  if (came.descriptors.size() == 1) into.pidfd = std::move(came.descriptors[0]);
  return what;
}

}  // namespace octavo::forking
