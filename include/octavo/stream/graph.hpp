// SPDX-License-Identifier: Apache-2.0
// A stream as text of Graphviz: its stages, where they work, and how items go from one to the next.
//
//   std::ofstream("stream.dot") << s.graph();                     // dot -Tsvg stream.dot
//   std::cout << s.graph(s.run());                                // with what each stage has done
//
// The same text in Python: print(s.graph(report)). Threading: pure. Failure: none.
#pragma once

#include <string>
#include <vector>

#include "octavo/stream/report.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo::stream {

struct StageNode {
  std::string name = {}, workers = {}, place = {};  // workers: "4 workers"; none: one
  std::string dealing = {}, results = {};           // how items come to the workers, and results leave, where that is to be said: "by key"; "unordered"
  bool loops = false;
};

[[nodiscard]] std::string graph_of(const std::vector<StageNode>& stages, const StreamReport& report);
// "node1, node2"
[[nodiscard]] std::string places_of(const StageSettings& settings);
[[nodiscard]] StageNode node_of(const StageSettings& settings, std::size_t number, bool several);

}  // namespace octavo::stream
