# SPDX-License-Identifier: Apache-2.0
"""What runs a stream: flow.py, with a crew for each stage, and the workers in its hands."""
