// SPDX-License-Identifier: Apache-2.0
// What every benchmark says, in one form: a line of JSON for machines, a line for people. The same keys as report.py.
#pragma once

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Result {
  std::string name;
  std::vector<double> values;
  std::string unit;
  std::pair<std::string, double> limit;  // measured in the same run, in the same unit
  bool lower_is_better = false;
  std::map<std::string, double> peers = {};
  nlohmann::ordered_json conditions = nlohmann::ordered_json::object();
  std::optional<double> to_limit = {};      // the median of pairs; without it, of the two medians
  std::optional<double> to_best_peer = {};  // the same
};

inline double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the median of nothing");
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Four digits: no measurement here has more.
inline double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::stod(text);
}

// Above 1 where `value` is the better one.
inline double better(const Result& result, double value, double other) { return result.lower_is_better ? other / value : value / other; }

inline nlohmann::ordered_json line_of(const Result& result) {
  double value = median(result.values);
  auto [least, most] = std::minmax_element(result.values.begin(), result.values.end());
  std::optional<double> best = result.to_best_peer;
  nlohmann::ordered_json peers = nlohmann::ordered_json::object();
  for (const auto& [name, figure] : result.peers) {
    peers[name] = rounded(figure);
    if (!result.to_best_peer) best = std::min(best.value_or(better(result, value, figure)), better(result, value, figure));
  }
  nlohmann::ordered_json line;
  line["name"] = result.name;
  line["value"] = rounded(value);
  line["spread"] = {rounded(*least), rounded(*most)};
  line["unit"] = result.unit;
  line["limit"] = {{"name", result.limit.first}, {"value", rounded(result.limit.second)}};
  line["peers"] = peers;
  line["to_limit"] = rounded(result.to_limit.value_or(better(result, value, result.limit.second)));
  line["to_best_peer"] = best ? nlohmann::ordered_json(rounded(*best)) : nlohmann::ordered_json();
  line["conditions"] = result.conditions;
  return line;
}

// The file of `--json FILE`, the one option a benchmark must know; none when it is not given.
inline std::optional<std::string> json_file(int argc, char** argv) {
  if (argc == 1) return std::nullopt;
  if (argc == 3 && std::string(argv[1]) == "--json") return argv[2];
  throw std::invalid_argument("the arguments are: [--json FILE]");
}

inline void print(const nlohmann::ordered_json& line) {
  auto number = [](const nlohmann::ordered_json& each) { return each.dump(); };
  const auto& conditions = line["conditions"];
  const auto name = line["name"].get<std::string>(), unit = line["unit"].get<std::string>(), limit = line["limit"]["name"].get<std::string>();
  std::printf("%-24s %s %s [%s, %s], limit %s (%s), to the limit %s\n", name.c_str(), number(line["value"]).c_str(), unit.c_str(),
              number(line["spread"][0]).c_str(), number(line["spread"][1]).c_str(), number(line["limit"]["value"]).c_str(), limit.c_str(),
              number(line["to_limit"]).c_str());
  if (conditions.contains("aim")) std::printf("    aim: %s\n", conditions["aim"].get<std::string>().c_str());
  for (const auto& [peer, figure] : line["peers"].items()) {
    const std::string paired = "to " + peer;
    std::printf("    %s %s", peer.c_str(), number(figure).c_str());
    if (conditions.contains(paired)) std::printf(", to it %s", number(conditions[paired]).c_str());
    std::printf("\n");
  }
  if (!conditions.contains("without")) return;
  for (const auto& [peer, why] : conditions["without"].items()) std::printf("    %s %s\n", peer.c_str(), why.get<std::string>().c_str());
}

inline void write(const std::vector<Result>& results, const std::optional<std::string>& file) {
  if (!file) return;
  std::ofstream out(*file);
  for (const auto& result : results) out << line_of(result).dump() << '\n';
  if (!out.flush()) throw std::runtime_error("writing '" + *file + "' failed");
}

inline void report(const std::vector<Result>& results, const std::optional<std::string>& file) {
  for (const auto& result : results) print(line_of(result));
  write(results, file);
}

}  // namespace bench
