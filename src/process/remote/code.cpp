// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/code.hpp"

#include <elf.h>
#include <link.h>

#include <cstdio>
#include <filesystem>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

namespace {

// One file of code that is loaded here.
struct Module {
  const dl_phdr_info& loaded;

  [[nodiscard]] std::string path() const {
    if (loaded.dlpi_name != nullptr && *loaded.dlpi_name != '\0') return loaded.dlpi_name;
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed).string();
  }
  [[nodiscard]] std::string file() const { return std::filesystem::path(path()).filename().string(); }

  [[nodiscard]] bool is_code(std::uint64_t offset) const {
    for (int i = 0; i < loaded.dlpi_phnum; ++i) {
      const auto& part = loaded.dlpi_phdr[i];
      if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && offset >= part.p_vaddr && offset - part.p_vaddr < part.p_memsz) return true;
    }
    return false;
  }

  [[nodiscard]] std::uint64_t build() const {
    for (int i = 0; i < loaded.dlpi_phnum; ++i) {
      const auto& part = loaded.dlpi_phdr[i];
      if (part.p_type != PT_NOTE) continue;
      auto id = build_note({reinterpret_cast<const char*>(loaded.dlpi_addr + part.p_vaddr), part.p_memsz});
      if (!id.empty()) return hash_of(id);
    }
    return hash_of_file(path().c_str());
  }

  // What NT_GNU_BUILD_ID says, among the notes; empty if there is none.
  static std::string_view build_note(std::string_view notes) {
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
      const auto& head = *reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
      std::size_t name = sizeof head, text = name + (head.n_namesz + 3u) / 4 * 4, end = text + (head.n_descsz + 3u) / 4 * 4;
      if (end > notes.size()) break;
      if (head.n_type == NT_GNU_BUILD_ID && notes.substr(name, 4) == std::string_view("GNU\0", 4)) return notes.substr(text, head.n_descsz);
      notes.remove_prefix(end);
    }
    return {};
  }
};

// Looks at the loaded files until `found` says true. The loader's lock is held meanwhile, and stays so for ever where an exception leaves by
// way of dl_iterate_phdr: the next thread that loads a library would wait for it (before glibc 2.35, each that throws).
bool find_module(const std::function<bool(const Module&)>& found) {
  struct Look {
    const std::function<bool(const Module&)>& found;
    std::exception_ptr failed;
  } look{found, {}};
  auto each = [](dl_phdr_info* loaded, std::size_t, void* data) {
    auto& here = *static_cast<Look*>(data);
    try {
      return static_cast<int>(here.found(Module{*loaded}));
    } catch (...) {
      here.failed = std::current_exception();
      return 1;
    }
  };
  bool seen = ::dl_iterate_phdr(each, &look) != 0;
  if (look.failed) std::rethrow_exception(look.failed);
  return seen;
}

std::string number(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(value));
  return text;
}

[[noreturn]] void raise_not_here(const Code& code, const std::string& program, std::uint64_t build_here) {
  std::string what = "a function of '" + code.file + "' (build " + number(code.build) + ") was called in a process of '" + program + "'";
  if (build_here != 0)
    throw usage_error(what + ", which has build " + number(build_here) + " of '" + code.file + "'", "Start the program again: it was built anew while it ran");
  throw usage_error(what + ", which has not loaded that file",
                    "Link the library to the program, or load it before the Runtime, so that its processes have it too");
}

}  // namespace

Code code_of(const void* function) {
  Code code;
  auto at = reinterpret_cast<std::uint64_t>(function);
  bool found = find_module([&](const Module& module) {
    if (!module.is_code(at - module.loaded.dlpi_addr)) return false;
    code = {module.file(), module.build(), at - module.loaded.dlpi_addr};
    return true;
  });
  if (found) return code;
  throw usage_error("there is no function at " + number(at) + " that another process could have too",
                    "Pass a function of the program or of a library; code that was made while it ran has no name elsewhere");
}

const void* code_at(const Code& code) {
  const void* there = nullptr;
  std::uint64_t build_here = 0;
  std::string program;
  bool found = find_module([&](const Module& module) {
    auto file = module.file();
    if (program.empty()) program = file;  // the program itself comes first
    if (file != code.file) return false;
    build_here = module.build();
    if (build_here != code.build) return false;
    if (!module.is_code(code.offset))
      throw usage_error("a call names offset " + number(code.offset) + " of '" + code.file + "', where there is no code",
                        "Caller and callee disagree about a call");
    there = reinterpret_cast<const void*>(module.loaded.dlpi_addr + code.offset);
    return true;
  });
  if (!found) raise_not_here(code, program, build_here);
  return there;
}

}  // namespace octavo::detail
