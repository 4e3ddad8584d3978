// SPDX-License-Identifier: Apache-2.0
// Both ends of a link by files within one program.
//
//   auto [dialer, owner] = kit::over_files();
//   auto [a, b] = kit::over_files(false);      // as on a file system where no inotify tells of the other side
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::kit {

inline std::pair<std::unique_ptr<road::files::FilesLink>, std::unique_ptr<road::files::FilesLink>> over_files(bool inotify = true) {
  namespace files = road::files;
  auto run = std::make_shared<files::RunDirectory>(std::filesystem::temp_directory_path().string());
  const std::string at = files::connect(run->path()), o = files::to_owner(at), d = files::to_dialer(at);
  return {std::make_unique<files::FilesLink>(files::FilesLink::Ends{.in = d, .out = o, .connection = at}, inotify),
          std::make_unique<files::FilesLink>(files::FilesLink::Ends{.in = o, .out = d, .connection = at, .run = run}, inotify)};
}

}  // namespace octavo::kit
