// SPDX-License-Identifier: Apache-2.0
// octavo-server: hosts one object of Octavo's own classes. Started by an agent, never by hand.
int main() { return 2; }
