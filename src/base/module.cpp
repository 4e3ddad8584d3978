// SPDX-License-Identifier: Apache-2.0
#include "base/module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {
constexpr char here = 0;  // something of this library, to ask where it lies
}

const void* load_module(const std::string& name, const std::string& cure) {
  Dl_info info{};
  ::dladdr(&here, &info);
  const std::string file = "liboctavo-" + name + ".so";
  const auto path = std::filesystem::path(info.dli_fname != nullptr ? info.dli_fname : "").parent_path() / file;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* symbol = library != nullptr ? ::dlsym(library, ("octavo_" + name + "_module").c_str()) : nullptr;
  if (symbol != nullptr) return symbol;
  const char* why = ::dlerror();
  throw io_error("loading " + file + ": " + (why != nullptr ? why : "no reason given"), "Put it beside liboctavo.so. " + cure);
}

}  // namespace octavo
