// SPDX-License-Identifier: Apache-2.0
// The link by sftp (src/road/net/sftp) under a program: sessions that are killed, logins that fail, and what is left. The suites of links and of engines run
// over it, too; tests/unit/road/sftp has its parts.
#include <csignal>
#include <fstream>

#include "conformance/machine/one_node.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/left_behind.hpp"
#include "kit/link/sftp_pair.hpp"
#include "octavo/machine/ssh.hpp"

namespace process_tests {
namespace {

using namespace std::chrono_literals;

class SftpLink : public OneNode {
 protected:
  void SetUp() override {
    if (const auto missing = ov::kit::SftpServer::missing(); !missing.empty()) GTEST_SKIP() << missing;
    variables.set("TMPDIR", place.path().string());
  }
  void TearDown() override { runtime.reset(); }  // before its directories
  void begin(const ov::kit::SftpServer& server) {
    runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, {.address = "lo", .shell = {"env"}, .link = "sftp:" + server.command()}), .silence = 60s});
    node = runtime->machine("node");
  }
  [[nodiscard]] std::string note() const { return "echo $$ >> '" + (place.path() / "to-").string() + "'$1"; }
  // The last session that leads there.
  [[nodiscard]] int session_to(const std::string& machine) const {
    std::ifstream file(place.path() / ("to-" + machine));
    int last = -1;
    for (int pid = 0; file >> pid;) last = pid;
    return last;
  }
  [[nodiscard]] int left_directories() const {
    int found = 0;
    for (const auto& each : std::filesystem::directory_iterator(place.path())) found += each.path().filename().string().starts_with("octavo-files-") ? 1 : 0;
    return found;
  }
  ov::kit::TemporaryDirectory place;
  ov::kit::Variables variables;
};

TEST_F(SftpLink, SK1_CallsGoBothWaysAndNothingIsLeft) {
  const ov::kit::SftpServer server(note());
  begin(server);
  auto there = node.make<Counter>(5);
  auto here = ov::process.make<Counter>(1);
  EXPECT_EQ(there->ask(here, 1), 2);
  EXPECT_EQ(there->big(1 << 24).size(), std::size_t{1} << 24);
  EXPECT_EQ(left_directories(), 2) << "this program's, and the machine's";
  runtime.reset();
  until([&] { return left_directories() == 0 && !alive(session_to("node")) && !alive(session_to("127.0.0.1")); });
}

// SL-1, FL-9: the machine makes another connection.
TEST_F(SftpLink, SF3_SessionsThatAreKilledLoseNoCallAndDoNoneTwice) {
  const char* wanted = std::getenv("OCTAVO_KILLS");
  const int kills = wanted == nullptr ? 10 : std::atoi(wanted);  // NOLINT: a test's
  const ov::kit::SftpServer server(note());
  begin(server);
  auto there = node.make<Counter>(0);
  int expected = 0;
  for (int round = 0; round < kills; ++round) {
    std::vector<ov::future<int>> sums;
    for (int i = 0; i < 50; ++i) sums.push_back(ov::start(there)->add(1));
    ::kill(session_to("127.0.0.1"), SIGKILL);
    for (auto& each : sums) EXPECT_EQ(each.get(), ++expected);
  }
  EXPECT_EQ(there->value(), expected);
}

// The program's own session: what it has put until then is received, then the machine finds its directory gone (by its next sign of life), and makes another
// connection.
TEST_F(SftpLink, SF3_FL9_TheProgramsOwnSessionThatIsKilledLosesNoCallAndDoesNoneTwice) {
  const ov::kit::SftpServer server(note());
  begin(server);
  auto there = node.make<Counter>(0);
  int expected = 0;
  const int session = session_to("node");
  ASSERT_EQ(::kill(session, SIGKILL), 0);
  ov::kit::await_end(session);
  std::vector<ov::future<int>> sums;
  for (int i = 0; i < 50; ++i) sums.push_back(ov::start(there)->add(1));
  for (auto& each : sums) EXPECT_EQ(each.get(), ++expected);
  EXPECT_NE(session_to("node"), session);
  EXPECT_EQ(there->value(), expected);
}

TEST_F(SftpLink, SK2_AMachineThatCannotLogInHereSaysSo) {
  const ov::kit::SftpServer server("echo 'Host key verification failed.' >&2; exit 255");
  runtime.emplace(
      ov::RuntimeOptions{.engine = ov::ssh({"node"}, {.address = "lo", .shell = {"env"}, .patience = 2s, .link = "sftp:" + server.command()}), .silence = 60s});
  try {
    runtime->machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("Host key verification failed"));
    EXPECT_THAT(e.what(), testing::HasSubstr("127.0.0.1"));
  }
}

TEST_F(SftpLink, SF4_NothingIsLeftThereWhenTheProgramIsKilled) {
  const ov::kit::SftpServer server(note());
  kill_the_program([&] { begin(server); });
  until([&] { return !alive(session_to("node")) && !alive(session_to("127.0.0.1")); });
}

}  // namespace
}  // namespace process_tests
