# SPDX-License-Identifier: Apache-2.0
"""Python objects with names, which outlive the program."""
