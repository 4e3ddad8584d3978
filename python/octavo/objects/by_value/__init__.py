# SPDX-License-Identifier: Apache-2.0
"""Definitions of a script: how its classes and functions travel by value, and stay what they are where they arrive.

| part | question it answers |
|---|---|
| ``names`` | what is found by its name anywhere, and so does not travel by value; which globals code uses |
| ``registry`` | which definition is the same: tokens, which go with it to all processes |
| ``namespaces`` | which globals a function has where it arrives |
| ``functions``, ``code``, ``classes``, ``enums``, ``others`` | how each kind is taken apart here, and made there |
| ``making`` | how a class or an enum is put together where it arrives |
| ``pickler`` | how a value with such definitions is pickled |
| ``peers``, ``sent`` | what another process was taught, and which globals have changed since |
| ``held``, ``learning`` | what others have taught this process |
| ``size`` | whether a global is too large not to be told |
"""
