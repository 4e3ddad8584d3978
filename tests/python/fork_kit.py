# SPDX-License-Identifier: Apache-2.0
"""The beginning of a program that forks: work in a child, and how the child ended."""

from __future__ import annotations

FORKING = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking a program with threads: that is what this is about

def in_a_child(work):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            import traceback
            traceback.print_exc()
        os._exit(status)
    return pid

def ended(pid):
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"the child ended with {status}"
"""
