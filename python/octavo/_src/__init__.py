# SPDX-License-Identifier: Apache-2.0
"""What the package is made of; nothing here is promised to users.

From the caller's words to an array: ``keywords`` (options one by one or whole), ``inputs`` (paths, memmaps, arrays), ``validation`` (values, in one form),
``sources`` (who reads what is there), ``new_targets`` (who makes what is not), ``open_create`` (handles of arrays), ``metadata`` (what is known of one).
Elements: ``selection``, ``blocks``, ``transfer``. Jobs: ``running``, ``coordinates``, ``consolidated``. The command line: ``commands``.
"""
