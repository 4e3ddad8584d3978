# SPDX-License-Identifier: Apache-2.0
"""The process of an object: its program, what is loaded before it is forked, its coroutines and what it prints."""
