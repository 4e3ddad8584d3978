// SPDX-License-Identifier: Apache-2.0
// What the tests of the registry share: a directory of their own, states with a payload that says what it is, children that are killed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "machine/registry/state_file.hpp"
#include "machine/registry/state_writer.hpp"
#include "octavo/base/error.hpp"

namespace octavo::registry_test {

class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "octavo-registry-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw io_error_from(errno, "making '" + path_ + "'");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string get_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void put_file(const std::string& path, const std::string& content) { std::ofstream(path, std::ios::binary | std::ios::trunc) << content; }
inline void flip(const std::string& path, std::size_t at) {
  std::string content = get_file(path);
  content.at(at) = static_cast<char>(content.at(at) ^ 1);
  put_file(path, content);
}

// The text of the `Error` that `work` throws; fails the test if it throws none.
template <class Error, class Work>
std::string error_text(Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}
inline void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

inline ByteView view(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
inline std::string text_of(const StoredState& state) { return {reinterpret_cast<const char*>(state.bytes.get()), state.payload().size()}; }

// A payload of a generation: its length, up to 300 KB, and its bytes follow from the number alone.
inline std::string payload_of(std::uint64_t generation) {
  std::mt19937_64 random(generation);
  std::string bytes(random() % 3 == 0 ? random() % 100 : random() % 300000, '\0');
  for (auto& each : bytes) each = static_cast<char>(random());
  return bytes;
}

inline constexpr std::uint64_t some_object = 0x8000000700000001;

inline StateFacts facts_of(std::uint64_t generation) { return {.object = some_object, .generation = generation, .class_name = "Tally", .state_version = 2}; }

// The payload in three parts, one of them empty.
inline StateFacts save(const std::string& directory, std::uint64_t generation, const StateSteps& steps = {}) {
  std::string payload = payload_of(generation);
  StateWriter writer(directory, facts_of(generation), steps);
  std::vector<ByteView> parts{view(payload).first(payload.size() / 3), {}, view(payload).subspan(payload.size() / 3)};
  writer.write(parts);
  return writer.commit();
}

inline std::vector<std::string> state_files(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/state")) {
    std::string name = entry.path().filename().string();
    if (name != "lock") names.push_back(name.size() == 16 ? "current" : name.substr(16));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A child that runs `work` until it ends or is killed; its destructor waits for it.
class Child {
 public:
  template <class Work>
  explicit Child(Work&& work) : pid_(::fork()) {
    if (pid_ != 0) return;
    int status = 1;
    try {
      work();
      status = 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    ::_exit(status);
  }
  ~Child() { wait(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }
  // As waitpid gives it.
  int wait() {
    if (pid_ > 0) ::waitpid(pid_, &status_, 0);
    pid_ = 0;
    return status_;
  }

 private:
  pid_t pid_;
  int status_ = 0;
};

}  // namespace octavo::registry_test
