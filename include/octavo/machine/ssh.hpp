// SPDX-License-Identifier: Apache-2.0
// Machines that a command reaches: the engine (engine.hpp) of whoever can log in on them by SSH, and needs nothing else there but Octavo.
//
//   octavo::Runtime runtime(argc, argv, {.engine = octavo::ssh({"node1", "node2"}, {.address = "10.0.0.1"})});
//   auto p = runtime.machine("node2").make<Counter>(5);
//   auto closed = octavo::ssh({"node1", "node2"});                            // no port on either side: all goes by ssh itself
//   auto other = octavo::ssh({"a", "b"}, {.address = "ib0", .shell = {"srun", "-w", "{}"}});   // any command that runs one there
//   auto mixed = octavo::ssh({"node1", "far"}, {.address = "ib0", .addresses = {{"far", "eth0"}}});  // two networks
//
// SSH-1  `ssh node2 env OCTAVO_AGENT=call <program>` starts an agent, which calls this program back at `address`, and at no other: TCP with
//        TLS 1.3 (road/tls_link.hpp). Whom to call, and the key, which is made for this engine alone, it is told by its standard input: they
//        are in no file, no argument and no environment. The key leaves only for an agent that has said on its standard output that it is one, of
//        this version, and never to a terminal. What else the command says before (a login's greeting) is shown on standard error, and what it says
//        after it on standard output.
// SSH-2  A connection that breaks is made again (road/steady_link.hpp): no call is lost, none done twice. A machine of which nothing is heard for
//        `silence` of the Runtime is lost, and so is one whose command has ended, however well its connection is; an agent that was given up is refused
//        when it comes back.
// SSH-3  Its agent ends when its standard input does, so also when this program is killed; and when it does not reach this program (SSH-6).
// SSH-4  An address is numeric, or the name of a network interface of this machine: then it is the interface's. Each machine's link goes by the one that
//        `addresses` gives for it, else by `address`; this program listens at those that are used, and nowhere else. An agent
//        listens for those of other machines at the address by which it reaches this program, and nowhere else.
// SSH-5  Without an address, or with link "ssh", the agent calls nobody: bytes go by the command's own standard input and output, and no port is opened. What
//        breaks the command's connection is then the end of its machine (SSH-2's carriers are one), and what objects there print comes on standard error.
//        By "files" they are files in a directory that both mount (docs/clusters.md); "files" alone is one of this host. By "sftp", as by "files" alone with
//        an address, each puts them into the other's own directory: both log in, this program by the machine's name and the machine at `address`.
// SSH-6  An agent that runs, and does not reach the program within 5 s (or `patience`, where that is less), is given up with an error that names the links
//        which need no port.
// Objects there work in the directory where the command puts them (for SSH: the home directory); `program`, and a program whose own
// classes are served, lie there under the same path as here, or where `program` says.
// Failure: usage_error for no address where the link needs one, an interface that is not there, or a name that is no plain word; a machine that cannot be
// reached is lost, with the command's status and its last lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "octavo/machine/engine.hpp"

namespace octavo {

struct SshOptions {
  std::string address = {};                                               // of this machine, by which the others reach it: "10.0.0.1", "ib0"
  std::map<std::string, std::string> addresses = {};                      // by machine, of those that reach it by another network
  std::uint16_t port = 0;                                                 // 0: the kernel chooses
  std::vector<std::string> shell = {"ssh", "-o", "BatchMode=yes", "{}"};  // {}: the machine's name
  std::string program = {};                                               // octavo-server there; empty: the path of the one here
  std::chrono::milliseconds patience{20'000};                             // from the command until its agent speaks: a login, or a queue
  std::string link = {};                                                  // "tls", "ssh", "files:/shared/x", "sftp"; empty: "tls" with an address, else "ssh"
};

std::shared_ptr<Engine> ssh(std::vector<std::string> machines, SshOptions options = {});

}  // namespace octavo
