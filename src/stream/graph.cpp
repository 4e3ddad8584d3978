// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/graph.hpp"

#include <algorithm>
#include <cstdio>

#include "octavo/stream/settings.hpp"

namespace octavo::stream {

namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') made += '\\';
    if (each == '\n') made += "\\n";
    else made += each;
  }
  return made + "\"";
}

std::string seconds(double time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", time);
  return text;
}

std::string label_of(const StageNode& stage, const StageReport* done) {
  std::string text = stage.name;
  if (!stage.workers.empty()) text += "\n" + stage.workers;
  text += "\n" + stage.place;
  if (done == nullptr) return text;
  text += "\n" + std::to_string(done->taken) + " -> " + std::to_string(done->given) + ", busy " + seconds(done->busy);
  if (done->left != 0) text += "\n" + std::to_string(done->left) + " left";
  return text + "\nwaited " + seconds(done->waited_for_input) + " for input, " + seconds(done->waited_for_room) + " for room";
}

std::string edge_of(const std::string& from, const std::string& to, const std::string& label) {
  return "  " + from + " -> " + to + (label.empty() ? "" : " [label=" + quoted(label) + "]") + ";\n";
}

}  // namespace

std::string places_of(const StageSettings& settings) {
  const auto workers = workers_of(settings);
  std::string text;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, std::min(settings.places.size(), workers)); ++i)
    text += (i == 0 ? "" : ", ") + text_of(place_of(settings, i));
  return text;
}

StageNode node_of(const StageSettings& settings, std::size_t number, bool several) {
  StageNode made{.name = settings.name.empty() ? "stage " + std::to_string(number) : settings.name, .place = places_of(settings)};
  if (!several) return made;
  const auto workers = workers_of(settings);
  made.workers = std::to_string(workers) + (workers == 1 ? " worker" : " workers");
  if (!settings.ordered) made.results = "unordered";
  return made;
}

std::string graph_of(const std::vector<StageNode>& stages, const StreamReport& report) {
  std::string text = "digraph stream {\n  rankdir=LR;\n  node [shape=box];\n  source [shape=plain];\n", edges, before = "source", results;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& stage = stages[i];
    const auto here = "stage" + std::to_string(i + 1);
    text += "  " + here + " [label=" + quoted(label_of(stage, i < report.stages.size() ? &report.stages[i] : nullptr)) + "];\n";
    edges += edge_of(before, here, results + (results.empty() || stage.dealing.empty() ? "" : ", ") + stage.dealing);
    if (stage.loops) edges += edge_of(here, here, "again");
    before = here;
    results = stage.results;
  }
  return text + edges + "}\n";
}

}  // namespace octavo::stream
