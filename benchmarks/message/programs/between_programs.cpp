// SPDX-License-Identifier: Apache-2.0
#include "message/programs/between_programs.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "message/mailboxes.hpp"

namespace bench {

namespace {

[[noreturn]] void echo() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const octavo::Runtime runtime;
    Echo().run(octavo::Mailbox<long>("ov://home/there"), octavo::Mailbox<long>("ov://home/back"));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the other program: %s\n", error.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace

OwnHome::OwnHome() : directory_(std::filesystem::temp_directory_path() / ("octavo-bench-" + std::to_string(::getpid()))) {
  ::setenv("OCTAVO_HOME", directory_.c_str(), 1);
}

OwnHome::~OwnHome() {
  try {
    const octavo::Runtime runtime;
    octavo::end_lasting_agent();
    std::filesystem::remove_all(directory_);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ending the lasting agent of '%s': %s\n", directory_.c_str(), error.what());
  }
}

BetweenPrograms::BetweenPrograms() : other_(::fork()) {
  if (other_ == 0) echo();
  if (other_ < 0) throw std::runtime_error("no other program could be begun");
}

BetweenPrograms::~BetweenPrograms() {
  there_.post(-1);
  ::waitpid(other_, nullptr, 0);
}

double BetweenPrograms::half_trip() const { return half_trip_of(there_, back_, 2'000); }

}  // namespace bench
