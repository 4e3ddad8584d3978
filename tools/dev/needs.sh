# SPDX-License-Identifier: Apache-2.0
# need GROUP...: makes sure that the system's packages of these groups are there. Costs one dpkg-query when they are.
# Debian 12: installs what is missing. Any other system: names it and ends with status 2.

packages_build=(g++ cmake ninja-build pkg-config ccache liburing-dev libfftw3-dev libkissfft-dev libcereal-dev
                nlohmann-json3-dev libsqlite3-dev libssl-dev libxxhash-dev libgtest-dev libgmock-dev libbenchmark-dev)
packages_codecs=(libzstd-dev libblosc-dev libdeflate-dev liblz4-dev liblzf-dev)  # what is encoded otherwise is read through Python
packages_lint=(clang-format clang-tidy)
packages_fuzz=(clang libclang-rt-14-dev)
packages_soak=(gdb)  # shows the stacks of a run that hangs
packages_slurm=(slurm-wlm munge openssh-server)  # the clusters of tests/kit/engines
packages_wheel=(debootstrap)  # makes the bare root in which a wheel is tried
packages_archives=(liblz4-dev libsnappy-dev zlib1g-dev)  # that c-blosc needs to be linked into a wheel
packages_python=(python3 python3-venv python3-dev)  # asked for only where no other Python will do (venv.sh)

need() {
  local group wanted=() missing
  for group in "$@"; do
    local -n packages=packages_$group
    wanted+=("${packages[@]}")
  done
  mapfile -t missing < <(missing_of "${wanted[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! is_debian12; then
    name_missing "${missing[@]}"
  elif [ "$(id -u)" = 0 ]; then
    install_packages env "${missing[@]}"
  elif sudo -n true 2>/dev/null; then
    install_packages "sudo -n env" "${missing[@]}"
  else
    name_missing "${missing[@]}"
  fi
}

# As need, for what one can do without: whoever uses it says so where it is not there.
would_like() { (need "$@") || true; }

missing_of() {
  if ! command -v dpkg-query >/dev/null; then
    probe "$@"
    return
  fi
  local package have
  have=$'\n'$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)$'\n'
  for package in "$@"; do
    [[ $have == *$'\n'"$package installed"$'\n'* ]] || echo "$package"
  done
}

# Where there is no dpkg, the thing itself is looked for: a command, or a header the compiler finds. ccache is optional.
probe() {
  local -A command_of=([g++]=g++ [cmake]=cmake [ninja-build]=ninja [pkg-config]=pkg-config [clang-format]=clang-format [clang-tidy]=clang-tidy
                       [clang]=clang++)
  local -A header_of=([liburing-dev]=liburing.h [libfftw3-dev]=fftw3.h [libkissfft-dev]=kissfft/kiss_fft.h [libcereal-dev]=cereal/cereal.hpp
                      [nlohmann-json3-dev]=nlohmann/json.hpp [libsqlite3-dev]=sqlite3.h [libssl-dev]=openssl/ssl.h [libxxhash-dev]=xxhash.h
                      [libzstd-dev]=zstd.h [libblosc-dev]=blosc.h [libdeflate-dev]=libdeflate.h [liblz4-dev]=lz4.h [liblzf-dev]=lzf.h
                      [libgtest-dev]=gtest/gtest.h
                      [libgmock-dev]=gmock/gmock.h [libbenchmark-dev]=benchmark/benchmark.h)
  local package questions=''
  for package in "$@"; do
    if [ -n "${command_of[$package]:-}" ]; then
      command -v "${command_of[$package]}" >/dev/null || echo "$package"
    elif [ -n "${header_of[$package]:-}" ]; then
      questions+="#if !__has_include(<${header_of[$package]}>)"$'\n'"absent $package"$'\n#endif\n'
    elif [ "${package#python}" != "$package" ]; then
      echo "$package"
    fi
  done
  if [ -n "$questions" ]; then
    # Without a compiler no header can be found, and the compiler has been named above.
    { g++ -std=c++20 -E -P -x c++ - <<<"$questions" 2>/dev/null || true; } | sed -n 's/^absent //p' | tr -d ' '
  fi
}

is_debian12() {
  [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

name_missing() {
  echo "dev: missing on this system, by their Debian names: $*" >&2
  if command -v apt-get >/dev/null; then
    echo "dev: install them, for instance with: sudo apt-get install $*" >&2
  else
    echo "dev: install what this system calls them, then run this again" >&2
  fi
  exit 2
}

# The package lists may be absent or old (a fresh container): then, and only then, they are fetched.
install_packages() {
  local -a run get
  read -ra run <<<"$1"
  shift
  get=("${run[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  echo "dev: installing $*" >&2
  if ! "${get[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1; then
    "${get[@]}" update >&2 || true
    "${get[@]}" install -y --no-install-recommends "$@" >&2 || {
      echo "dev: apt-get could not install $*; see above" >&2
      exit 2
    }
  fi
}
