// SPDX-License-Identifier: Apache-2.0
#include "data/target/unfinished.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace octavo {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t digits_count = 8, longest_stem = 210;  // 255 less what is put around it: ".scratch.unfinished-1a2b3c4d"
constexpr std::string_view scratch_part = ".scratch";

std::string hex(std::uint32_t value) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(value >> shift) & 15];
  return digits;
}

bool are_digits(std::string_view text) { return text.size() == digits_count && text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// FNV-1a: the same on every machine and in every version.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (unsigned char c : text) hash = (hash ^ c) * 16777619U;
  return hash;
}

// "1a2b3c4d" of ".../out.zarr.unfinished-1a2b3c4d"; empty if it has none.
std::string digits_of(std::string_view path) {
  return path.size() > digits_count && are_digits(path.substr(path.size() - digits_count)) ? std::string(path.substr(path.size() - digits_count)) : "";
}

// The record is believed only as far as the file it names has the name that this run gave it.
void remove_scratch_of(const std::string& path, const std::string& name) {
  std::ifstream record(path + "/" + unfinished_record);
  for (std::string line; std::getline(record, line);) {
    auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("scratch") || !json["scratch"].is_string()) continue;
    fs::path scratch = json["scratch"].get<std::string>();
    struct stat status {};
    if (scratch.is_absolute() && scratch.filename() == scratch_name(name, digits_of(path)) && ::lstat(scratch.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      ::unlink(scratch.c_str());
  }
}

// A name is not enough: what a run made holds its record, or nothing yet.
bool is_of_a_run(const fs::path& path) {
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() != fs::file_type::directory) return false;
  return fs::symlink_status(path / unfinished_record, failed).type() == fs::file_type::regular || fs::is_empty(path, failed);
}

}  // namespace

fs::path absolute_target(const std::string& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  return whole.filename().empty() ? whole.parent_path() : whole;
}

std::string stem_of(const std::string& name) {
  if (name.size() <= longest_stem) return name;
  std::size_t keep = longest_stem - digits_count - 1;
  while (keep > 0 && (static_cast<unsigned char>(name[keep]) & 0xC0U) == 0x80) --keep;  // not within a character
  return name.substr(0, keep) + "~" + hex(hash_of(name));
}

std::string lock_name(const std::string& name) { return "." + stem_of(name) + ".lock"; }

bool has_unfinished_ending(std::string_view name) {
  if (name.size() > digits_count + 1 && name[name.size() - digits_count - 1] == '-' && are_digits(name.substr(name.size() - digits_count)))
    name.remove_suffix(digits_count + 1);
  return name.size() > std::string_view(unfinished_ending).size() && name.ends_with(unfinished_ending);
}

std::string scratch_name(const std::string& name, std::string_view digits) {
  return stem_of(name) + std::string(scratch_part) + unfinished_ending + "-" + std::string(digits);
}

std::vector<std::string> remains_of(const std::string& directory, const std::string& name) {
  std::string begin = stem_of(name) + unfinished_ending;
  std::vector<std::string> found;
  std::error_code failed;
  for (fs::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
    std::string entry = each->path().filename().string();
    if (!entry.starts_with(begin)) continue;
    std::string_view rest = std::string_view(entry).substr(begin.size());
    if (!rest.empty() && rest[0] == '-' && are_digits(rest.substr(1)) && is_of_a_run(each->path())) found.push_back(entry);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool remove_unfinished(const std::string& path, const std::string& name) noexcept {
  try {
    std::error_code ignored;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return true;
    if (S_ISDIR(status.st_mode) && fs::exists(path + "/" + unfinished_record, ignored)) {
      remove_scratch_of(path, name);
      for (const auto& entry : {name, name + replaced_ending}) remove_storage(path + "/" + entry);
    }
    remove_storage(path);
    return ::lstat(path.c_str(), &status) != 0;
  } catch (...) {  // no memory: as where it cannot be removed
    return false;
  }
}

}  // namespace octavo
