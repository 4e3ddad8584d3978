# SPDX-License-Identifier: Apache-2.0
# configure PRESET, build PRESET [TARGET...]. CMake is asked again only when the presets, the layers or the Python packages changed; for changes
# in CMakeLists.txt ninja does so itself.

# Checkouts beside each other share what one of them has compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

configure() {
  local preset=$1 folder=build/$1 wanted
  case $preset in
    release | lint | dev | core | asan | tsan | fuzz) ;;
    *) echo "dev: no preset '$preset'; there are release, dev, core, asan, tsan, fuzz" >&2; exit 2 ;;
  esac
  wanted="$PWD $(cat CMakePresets.json tools/layers.txt | sha256sum) $(requirements_hash)"
  if [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/.configured-for" 2>/dev/null)" = "$wanted" ]; then
    return 0
  fi
  mkdir -p "$folder"
  echo "dev: configuring $folder" >&2
  if ! cmake --preset "$preset" --fresh --no-warn-unused-cli -DPython_EXECUTABLE="$PWD/.venv/bin/python" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    exit 1
  fi
  echo "$wanted" >"$folder/.configured-for"
}

build() {
  local preset=$1
  configure "$preset"
  shift
  cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
  if grep -q '^OCTAVO_PYTHON:BOOL=ON' "build/$preset/CMakeCache.txt" && compgen -G "build/$preset/python/_core.*" >/dev/null; then
    link_package "$preset"
  fi
}

# What ./dev bench NAME needs: that benchmark and its peers; without a name, all of them.
benchmark_target() {
  case $1 in
    '' | -*) echo benchmarks ;;
    *) if compgen -G "benchmarks/$1.*" >/dev/null; then echo "benchmark_$1"; else echo octavo; fi ;;
  esac
}

# The package in .venv consists of links into python/ and build/, so that an edited .py file needs no new build.
link_package() {
  local site
  site=$(echo "$PWD"/.venv/lib/python3.*/site-packages)
  if [ -d "$site/octavo" ]; then
    find "$site/octavo" -xtype l -delete  # of files that are no more
  fi
  CMAKE_INSTALL_MODE=ABS_SYMLINK cmake --install "build/$1" --component python --prefix "$site" >/dev/null
  write_entry_point >.venv/bin/octavo.new
  chmod +x .venv/bin/octavo.new
  mv .venv/bin/octavo.new .venv/bin/octavo  # tests may run it now
}

# As pip writes it: by way of sh, for paths too long for a #! line or with spaces in them.
write_entry_point() {
  cat <<TEXT
#!/bin/sh
'''exec' "$PWD/.venv/bin/python" "\$0" "\$@"
' '''
import sys

from octavo.cli import main

sys.exit(main())
TEXT
}
