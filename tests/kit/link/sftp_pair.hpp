// SPDX-License-Identifier: Apache-2.0
// Both ends of a link by sftp within one program, each of which "logs in" at the other by a command.
//
//   kit::SftpServer server;                                // sftp's server, begun by a script: no login, no cipher
//   auto [dialer, owner] = kit::over_sftp(server.command());
//   kit::over_sftp(kit::command_of(sshd))                  // by a real login
#pragma once

#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "kit/engines/surroundings.hpp"
#include "machine/spawn.hpp"
#include "road/net/kinds/link_kinds.hpp"

namespace octavo::kit {

class SftpServer {
 public:
  static std::string program() {  // empty: it is not installed
    for (const char* each : {"/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server"})
      if (std::filesystem::exists(each)) return each;
    return "";
  }
  static std::string missing() { return program().empty() ? "openssh-sftp-server is not installed" : ""; }
  // `before`: words of the shell that are run first.
  explicit SftpServer(const std::string& before = "") {
    const auto path = directory_.path() / "server";
    std::ofstream(path) << "#!/bin/sh\n" << before << "\nexec " << program() << "\n";
    ::chmod(path.c_str(), S_IRWXU);
  }
  [[nodiscard]] std::string command() const { return (directory_.path() / "server").string() + " {}"; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

inline std::string command_of(const Sshd& sshd) {
  std::string command;
  for (const auto& word : sshd.shell()) command += (command.empty() ? "" : " ") + word;
  return command;
}

inline road::LinkTerms sftp_terms() {
  return {.machine = "octavo-test", .run = [](const std::vector<std::string>& words) { return spawn::run_command(words); }};
}

inline std::pair<std::unique_ptr<road::Link>, std::unique_ptr<road::Link>> over_sftp(const std::string& command) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT: as the processes do that use it on threads of their own
  const auto key = road::ClusterKey::make();
  const auto listener = road::listen("sftp://localhost:0 by " + command, key, sftp_terms());
  auto calling =
      std::async(std::launch::async, [&] { return road::dial(listener->address(), key, road::Clock::now() + std::chrono::minutes(1), sftp_terms()); });
  for (std::unique_ptr<road::Link> dialled;;) {
    pollfd poll{listener->descriptor(), POLLIN, 0};
    ::poll(&poll, 1, 100);
    for (auto& called : listener->take()) return {dialled ? std::move(dialled) : calling.get(), std::move(called)};
    if (!dialled && calling.wait_for(std::chrono::seconds(0)) == std::future_status::ready) dialled = calling.get();
  }
}

}  // namespace octavo::kit
