# SPDX-License-Identifier: Apache-2.0
"""tools/wheel: which wheel is for which Python, what counts as old, and what stands in for glibc's newer functions on machines without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "wheel"))
import bare_root
import pythons
import sysroot

# As on a machine whose glibc has none of them.
OLD_MACHINE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#define dlsym(handle, name) NULL
#include "newer_glibc.c"
#undef dlsym
#include <assert.h>
#include <stdio.h>
#include <sys/wait.h>
extern char** environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(void) {
  assert(gettid() == getpid());
  assert(!strcmp(strerrordesc_np(ENOENT), "No such file or directory") && !strcmp(strerrorname_np(ENOSPC), "ENOSPC") && !strerrorname_np(12345));
  assert(!strcmp(sigabbrev_np(SIGKILL), "KILL") && !strcmp(sigabbrev_np(SIGSYS), "SYS") && !strcmp(sigabbrev_np(SIGSTKFLT), "STKFLT") && !sigabbrev_np(99));
  assert(!strcmp(sigabbrev_np(SIGTERM), "TERM") && !strcmp(sigabbrev_np(SIGCHLD), "CHLD") && !strcmp(sigabbrev_np(SIGPROF), "PROF"));

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_nsec += 50000000;
  if (deadline.tv_nsec >= 1000000000) deadline.tv_nsec -= 1000000000, ++deadline.tv_sec;
  double begun = now();
  while (pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) == 0) assert(now() - begun < 5);
  assert(now() - begun >= 0.049);
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);

  int kept = dup(2), inherited = dup2(2, 20);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  assert(posix_spawn_file_actions_addchdir_np(&actions, "/") == ENOSYS);
  assert(kept >= 0 && inherited == 20 && posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0);
  char* command[] = {"/bin/sh", "-c", "test ! -e /proc/self/fd/20 -a -e /proc/self/fd/2", NULL};
  pid_t child;
  int status = 1;
  assert(posix_spawn(&child, command[0], &actions, NULL, command, environ) == 0 && waitpid(child, &status, 0) == child && status == 0);
  puts("ok");
}
"""


def test_what_stands_in_for_newer_glibc_does_its_work(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(OLD_MACHINE)
    compiler = ["gcc", "-Wall", "-Wextra", "-Werror", "-I", str(sysroot.HERE), "main.c", "-o", "main", "-pthread"]
    subprocess.run(compiler, cwd=tmp_path, check=True, timeout=60)
    assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True, timeout=60).stdout == "ok\n"


@pytest.mark.parametrize("version", ["GLIBCXX_3.4", "GLIBCXX_3.4.9", "GLIBCXX_3.4.24", "CXXABI_1.3.11", "CXXABI_TM_1", "CXXABI_FLOAT128"])
def test_what_the_old_library_has(version: str) -> None:
    assert sysroot.old_enough(version)


@pytest.mark.parametrize("version", ["GLIBCXX_3.4.25", "GLIBCXX_3.4.30", "CXXABI_1.3.12", "GLIBCXX_LDBL_3.4"])
def test_what_it_has_not(version: str) -> None:
    assert not sysroot.old_enough(version)


def test_from_python_312_on_one_wheel_is_for_all() -> None:
    assert pythons.builders(dict.fromkeys(("3.13", "3.10", "3.12", "3.14"), "")) == {"cp310-cp310": "3.10", "cp312-abi3": "3.12"}
    assert pythons.builders({"3.13": ""}) == {"cp312-abi3": "3.13"}
    assert pythons.tag("3.11") == "cp311-cp311"


def test_the_first_example_is_that_of_the_readme(root: Path) -> None:
    example = bare_root.first_example(root / "README.md")
    compile(example, "README.md", "exec")
    assert "octavo.fft.fftn(" in example
    assert bare_root.expected(example)
