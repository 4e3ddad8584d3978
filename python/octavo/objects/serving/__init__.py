# SPDX-License-Identifier: Apache-2.0
"""Workers that call functions: one by one, or several by load."""
