// SPDX-License-Identifier: Apache-2.0
// What a remote shell, or env, would take for something else than a name or a path never gets there.
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/machine/ssh.hpp"

namespace octavo {
namespace {

TEST(SshWords, AMachineIsAPlainWord) {
  for (const char* name : {"node[1]", "n*", "-oProxyCommand=x", "a b", "a;b", "$HOME", "a=b", ""})
    EXPECT_THROW(ssh({name}, {.address = "127.0.0.1"}), usage_error) << name;
  for (const char* name : {"node1", "me@node-2.example.org", "::1", "a_b,c+d%e"}) EXPECT_NO_THROW(ssh({name}, {.address = "127.0.0.1"})) << name;
}

TEST(SshWords, AProgramIsAPlainPath) {
  for (const char* program : {"/opt/octavo[1]/octavo-server", "/opt/my octavo/octavo-server", "/opt/a=b/octavo-server", "/opt/*/octavo-server"}) {
    auto engine = ssh({"node"}, {.address = "127.0.0.1", .shell = {"/bin/false", "{}"}, .program = program});
    EXPECT_THROW(engine->start_agent("node"), usage_error) << program;
    engine->end();
  }
}

std::string said_of(const SshOptions& options) {
  try {
    auto engine = ssh({"node"}, options);
    engine->start_agent("node");
    engine->end();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(SshWords, SSH4_AnInterfaceThatIsNotThereIsSaidWithThoseThatAre) {
  const auto said = said_of({.address = "ib7", .shell = {"/bin/false", "{}"}});
  EXPECT_NE(said.find("'ib7' is neither a numeric address nor a network interface"), std::string::npos) << said;
  EXPECT_NE(said.find("lo (127.0.0.1)"), std::string::npos) << said;
  EXPECT_NE(said_of({.address = "lo", .addresses = {{"nod", "lo"}}}).find("'nod', which is none of the engine's machines"), std::string::npos);
}

}  // namespace
}  // namespace octavo
