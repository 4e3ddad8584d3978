// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/method.hpp"

#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <typeindex>
#include <unordered_map>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

struct Base {
  std::type_index type;
  void* (*up)(void*);
};

struct Table {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::unique_ptr<Method>> methods;
  std::multimap<std::type_index, Base> bases;
};
Table& table() {
  static Table it;
  return it;
}

// Two types of one name (local to their files, or a broken rule of one definition), or two overloads that differ in nothing that a call
// could show: f(T) and f(const T&). Calls could reach the wrong one.
[[noreturn]] void abort_for(const Method& first, const Method& second) {
  bool one_class = *first.type == *second.type && first.identity != nullptr && second.identity != nullptr;
  std::fprintf(stderr, "octavo: two methods have the key '%s': of %s and of %s. Give one of the %s another name.\n", first.key.c_str(),
               readable((one_class ? first.identity : first.type)->name()).c_str(), readable((one_class ? second.identity : second.type)->name()).c_str(),
               one_class ? "methods" : "classes (or its namespace)");
  std::abort();
}
bool same(const Method& a, const Method& b) {
  return a.key == b.key && *a.type == *b.type && (a.identity == nullptr || b.identity == nullptr || *a.identity == *b.identity);
}

void* seen_as(void* object, std::type_index from, std::type_index to) {
  if (from == to) return object;
  auto [first, last] = table().bases.equal_range(from);
  for (auto at = first; at != last; ++at)
    if (void* found = seen_as(at->second.up(object), at->second.type, to)) return found;
  return nullptr;
}

}  // namespace

std::uint64_t hash_of_file(const char* path) {
  struct stat facts {};
  if (::stat(path, &facts) != 0) return 0;
  return hash_of(std::to_string(facts.st_dev) + "." + std::to_string(facts.st_ino) + "." + std::to_string(facts.st_size) + "." +
                 std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec));
}

std::uint32_t build_id() {
  // As in RealSteps::barrier_possible(): no guard that a fork could inherit half way.
  static std::atomic<std::uint64_t> known{0};
  constexpr std::uint64_t is_known = std::uint64_t{1} << 32;
  auto found = known.load(std::memory_order_relaxed);
  if (found == 0) known.store(found = is_known | static_cast<std::uint32_t>(hash_of_file("/proc/self/exe")), std::memory_order_relaxed);
  return static_cast<std::uint32_t>(found);
}

std::string with_template_arguments(std::string_view name, const std::type_info& function) {
  // The compiler says `get` for get<int>; the linker's name has the arguments: "3getIiE".
  if (std::string_view(function.name()).find(std::to_string(name.size()) + std::string(name) + "I") == std::string_view::npos) return std::string(name);
  std::string whole = readable(function.name());
  auto from = whole.rfind("::" + std::string(name) + "<");
  if (from == std::string::npos) return std::string(name) + " of " + whole;
  from += 2;
  auto end = from + name.size();
  for (int open = 0; end < whole.size(); ++end) {
    if (whole[end] == '<') ++open;
    if (whole[end] == '>' && --open == 0) break;
  }
  return whole.substr(from, end + 1 - from);
}

const Method* register_method(Method method) {
  if (method.key.find("{anonymous}") != std::string::npos || method.key.find("(anonymous namespace)") != std::string::npos)
    method.key += " of build " + std::to_string(build_id());
  std::lock_guard lock(table().mutex);
  method.hash = hash_of(method.key);
  auto& slot = table().methods[method.hash];
  if (slot) {
    if (!same(*slot, method)) abort_for(*slot, method);
    return slot.get();
  }
  slot = std::make_unique<Method>(std::move(method));
  return slot.get();
}

const Method* find_method(std::uint64_t hash) noexcept {
  std::lock_guard lock(table().mutex);
  auto found = table().methods.find(hash);
  return found == table().methods.end() ? nullptr : found->second.get();
}

std::vector<const Method*> methods_that_save() {
  std::lock_guard lock(table().mutex);
  std::vector<const Method*> found;
  for (const auto& [hash, method] : table().methods)
    if (method->save != nullptr) found.push_back(method.get());
  return found;
}

void check_is(Hosted& object, std::string_view class_name) {
  std::lock_guard lock(table().mutex);
  for (const auto& [hash, method] : table().methods)
    if (method->class_name == class_name && seen_as(object.get(), object.type(), *method->type) != nullptr) return;
  throw usage_error("the object is no " + std::string(class_name), "Open it as the class it was made as, or a base of it that OCTAVO_REMOTE names");
}

bool serve_built_in(const Method* constructor) {
  std::lock_guard lock(table().mutex);
  table().methods.at(constructor->hash)->built_in = true;
  return true;
}

bool register_base(const std::type_info& derived, const std::type_info& base, void* (*up)(void*)) {
  std::lock_guard lock(table().mutex);
  auto [first, last] = table().bases.equal_range(derived);
  for (auto at = first; at != last; ++at)
    if (at->second.type == std::type_index(base)) return true;
  table().bases.emplace(derived, Base{base, up});
  return true;
}

void* view_as(Hosted& object, const std::type_info& wanted, std::string_view wanted_name) {
  if (object.seen_as_ == &wanted) return object.seen_;
  std::lock_guard lock(table().mutex);
  if (void* found = seen_as(object.get(), object.type(), wanted)) {
    object.seen_as_ = &wanted;
    return object.seen_ = found;
  }
  throw usage_error("the object is no " + std::string(wanted_name),
                    "Name its base in OCTAVO_REMOTE(Class, (Base), ...), or convert the remote_ptr in the program that serves it");
}

}  // namespace octavo::detail
