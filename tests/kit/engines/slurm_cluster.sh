#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cluster of Slurm on this host: munged, slurmctld and three slurmd, n1 to n3, in one network namespace, without systemd and cgroups. Needs root, slurm-wlm
# and munge. Everything lies in the directory that is its argument; it says "ready" on standard output, and ends with all it has started when its standard
# input does.
#
#   slurm_cluster.sh DIRECTORY FIRST_PORT      # then SLURM_CONF=DIRECTORY/slurm.conf sbatch ...
set -eu
directory=$1 first=$2
end() {
  scancel --user="$(id -un)" 2>/dev/null || true
  for pid_file in "$directory"/slurmd-*.pid "$directory/slurmctld.pid" "$directory/munge/pid"; do
    if [ -f "$pid_file" ]; then kill "$(cat "$pid_file")" 2>/dev/null || true; fi
  done
}
trap end EXIT
trap 'exit 1' TERM INT
mkdir -p "$directory/munge"
chmod 711 "$directory"
chmod 755 "$directory/munge"
head -c 1024 /dev/urandom >"$directory/munge/key"
chmod 400 "$directory/munge/key"
host=$(hostname -s)
cat >"$directory/slurm.conf" <<END
ClusterName=octavo
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$directory/munge/sock
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool-%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd-%n.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=20
KillWait=15
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 1)) CPUs=8 RealMemory=2000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 2)) CPUs=8 RealMemory=2000
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((first + 3)) CPUs=8 RealMemory=2000
PartitionName=p Nodes=ALL Default=YES State=UP
END
munged --force --key-file="$directory/munge/key" --socket="$directory/munge/sock" --pid-file="$directory/munge/pid" --log-file="$directory/munge/log" \
  --seed-file="$directory/munge/seed" >"$directory/munged.log" 2>&1
export SLURM_CONF="$directory/slurm.conf"
mkdir -p "$directory/state"
slurmctld -i -f "$SLURM_CONF" >"$directory/start.log" 2>&1
for node in n1 n2 n3; do
  mkdir -p "$directory/spool-$node"
  slurmd -N $node -f "$SLURM_CONF" >>"$directory/start.log" 2>&1
done
tries=0
until [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; do
  tries=$((tries + 1))
  if [ $tries -gt 600 ]; then
    echo "the nodes are not idle: $(sinfo -h -o '%N %T' 2>&1)" >&2
    exit 1
  fi
  sleep 0.1
done
echo ready
cat >/dev/null
