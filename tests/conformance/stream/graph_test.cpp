// SPDX-License-Identifier: Apache-2.0
// Streams as text of Graphviz; the same in Python is tests/python/streams/test_graph.py.
#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

using testing::HasSubstr;

TEST(Graph, SaysStagesPlacesAndDealing) {
  const auto add_one = [](int x) { return x + 1; };
  const auto digits = [](int x, std::size_t workers) { return std::vector<int>(workers, x); };
  const auto total = [](const std::vector<int>& all) { return Span{0, static_cast<int>(all.size())}; };
  const auto s = ov::pipeline(
      numbers(3), add_one, ov::farm(add_one).workers(3).by([](int x) { return x % 2; }).unordered().on({ov::process, ov::thread}).named("say \"by key\""),
      ov::farm(add_one).workers(2).scatter(digits).gather().named("digits"), ov::stage(total).named("total"), ov::farm<Halve>().workers(1).named("halve"));
  EXPECT_EQ(s.graph(), R"(digraph stream {
  rankdir=LR;
  node [shape=box];
  source [shape=plain];
  stage1 [label="stage 1\nthread"];
  stage2 [label="say \"by key\"\n3 workers\nprocess, thread"];
  stage3 [label="digits\n2 workers\nthread"];
  stage4 [label="total\nthread"];
  stage5 [label="halve\n1 worker\nthread"];
  source -> stage1;
  stage1 -> stage2 [label="by key"];
  stage2 -> stage3 [label="unordered, in parts"];
  stage3 -> stage4 [label="gathered"];
  stage4 -> stage5;
  stage5 -> stage5 [label="again"];
}
)");
}

TEST(Graph, WithAReportItSaysWhatWasDone) {
  ov::kit::Watchdog watchdog;
  const auto s = ov::pipeline(numbers(5), ov::farm<Times>(2).workers(2).named("times"));
  const auto text = s.graph(s.run());
  EXPECT_THAT(text, HasSubstr("stage1 [label=\"times\\n2 workers\\nthread\\n5 -> 5, busy "));
  EXPECT_THAT(text, HasSubstr(" for input, "));
}

}  // namespace
}  // namespace stream_tests
