// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests of devices with names: a folder for their files, and devices that are killed and come back.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

#include "conformance/process/named/named_scene.hpp"
#include "octavo/data/named_array.hpp"

namespace process_tests {

class NamedFiles : public NamedObjects {
 protected:
  NamedFiles() { std::filesystem::create_directories(folder); }
  ~NamedFiles() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string file(int n) const { return (folder / ("pages" + std::to_string(n))).string(); }
  static void kill(const ov::remote_ptr<ov::PageDevice>& device) {
    for (const auto& each : ov::names())
      if (each.address == device.address()) ::kill(static_cast<int>(each.pid), SIGKILL);
  }
  // What a call of a device gives, once it is there again.
  template <class Call>
  static auto again(Call call) {
    for (;;) try {
        return call();
      } catch (const ov::process_died&) {}
  }

  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("octavo-named-files-" + std::to_string(::getpid()));
};

}  // namespace process_tests
