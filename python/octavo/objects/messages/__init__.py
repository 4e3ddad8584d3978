# SPDX-License-Identifier: Apache-2.0
"""What travels between objects besides calls."""
