// SPDX-License-Identifier: Apache-2.0
#include "machine/kept_variables.hpp"

#include <string_view>

namespace octavo {

namespace {

constexpr std::string_view also_kept = "OCTAVO_KEEP_VARIABLES";
// docs/names.md lists them. Those that end in an underscore are the beginnings of names.
constexpr std::string_view names =
    "PATH,HOME,USER,LOGNAME,SHELL,TMPDIR,LANG,LANGUAGE,LC_,TZ,TZDIR,MALLOC_,LD_LIBRARY_PATH,LD_PRELOAD,PYTHONPATH,PYTHONHOME,"
    "VIRTUAL_ENV,CONDA_PREFIX,XDG_STATE_HOME,XDG_CACHE_HOME,OMP_,GOMP_,KMP_,MKL_,OPENBLAS_,BLIS_,NUMEXPR_,FFTW_,"
    "HDF5_PLUGIN_PATH,OCTAVO_,ASAN_OPTIONS,TSAN_OPTIONS,UBSAN_OPTIONS,LSAN_OPTIONS";

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

bool is_listed(std::string_view name, std::string_view list) {
  return !name.empty() && ("," + std::string(list) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

bool is_known(std::string_view name) {
  if (name.find(',') != std::string_view::npos) return false;
  for (auto at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1))
    if (is_listed(name.substr(0, at + 1), names)) return true;
  return is_listed(name, names);
}

}  // namespace

std::vector<std::string> kept_variables(const std::vector<std::string>& all) {
  std::string_view listed;
  for (std::string_view each : all)
    if (name_of(each) == also_kept && each.size() > also_kept.size()) listed = each.substr(also_kept.size() + 1);
  std::vector<std::string> kept;
  for (const auto& each : all)
    if (is_known(name_of(each)) || is_listed(name_of(each), listed)) kept.push_back(each);
  return kept;
}

}  // namespace octavo
