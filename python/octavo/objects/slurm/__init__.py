# SPDX-License-Identifier: Apache-2.0
"""What a program in a job of Slurm does besides."""
