// SPDX-License-Identifier: Apache-2.0
// A benchmark's options: names, each with a value.
//
//   auto options = bench::options_of(argc, argv, {"--only", "--json"});
//   Table table(options.value("--only").value_or(""));
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

class Options {
 public:
  void set(const std::string& name, const std::string& value) { values_[name] = value; }
  [[nodiscard]] std::optional<std::string> value(const std::string& name) const {
    auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::string> values_;
};

inline Options options_of(int argc, char** argv, const std::vector<std::string>& known) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (std::find(known.begin(), known.end(), name) == known.end()) throw std::invalid_argument("there is no option " + name);
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    options.set(name, argv[i + 1]);
  }
  return options;
}

}  // namespace bench
