#!/usr/bin/env bash
# A Slurm of one node with two made-up GPUs on this machine, for tests.
#
#   one_node.sh install        Debian's slurm and munge, where they are missing (root)
#   one_node.sh start DIR      munge, slurmctld and slurmd on loopback; files, logs and process ids in DIR
#   one_node.sh slurmd DIR     start slurmd again, after it was killed
#   one_node.sh stop DIR       end what `start` began and take the configuration away
#
# Exit status 3: it cannot run here; the reason is on standard error.
set -euo pipefail

cannot() { echo "$1" >&2; exit 3; }
wait_for() { # seconds command ..
  local tries=$(($1 * 10)); shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || cannot "gave up waiting for: $*"
    sleep 0.1
  done
}
node_is_up() { sinfo --noheader --Node --format=%t | grep -qxE 'idle|mix|alloc'; }
ours() { [ "$(readlink -f /etc/slurm/slurm.conf)" = "$1/etc/slurm.conf" ]; }

install() {
  [ "$(id -u)" = 0 ] || cannot "Slurm's daemons need root"
  command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null && return
  command -v apt-get >/dev/null || cannot "Slurm is not installed, and there is no apt-get to install it with"
  export DEBIAN_FRONTEND=noninteractive
  packages="slurm-wlm munge"
  apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages; } >/dev/null 2>&1 ||
    cannot "apt-get could not install $packages"
}

configure() {
  local dir=$1 host
  host=$(hostname -s)
  mkdir -p "$dir"/{etc,run,log,state,spool}
  chmod 755 "$dir"
  cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
# No control groups and no accounting: a container has neither. squeue answers for finished jobs (MinJobAge).
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
MinJobAge=600
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
SlurmctldTimeout=30
# A dead node is noticed, and its jobs are given up, within this many seconds.
SlurmdTimeout=5
KillWait=2
OverTimeLimit=0
InactiveLimit=0
ReturnToService=2
JobRequeue=0
MpiDefault=none
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 Gres=gpu:2 State=UNKNOWN
PartitionName=cpu Nodes=$host Default=YES State=UP
PartitionName=gpu Nodes=$host State=UP
CONF
  # A GPU needs a device file; any will do.
  echo 'Name=gpu File=/dev/tty[0-1]' >"$dir/etc/gres.conf"
}

start() {
  local dir=$1
  [ "$(id -u)" = 0 ] || cannot "Slurm's daemons need root"
  command -v slurmctld >/dev/null || cannot "Slurm is not installed: one_node.sh install"
  [ -e /dev/tty0 ] && [ -e /dev/tty1 ] || cannot "there is no /dev/tty0 and /dev/tty1 to stand for GPUs"
  # Jobs lose SLURM_CONF on their way, so the configuration lies where Slurm looks by itself.
  mkdir -p /etc/slurm
  if [ -e /etc/slurm/slurm.conf ] && ! ours "$dir"; then
    cannot "this machine has a /etc/slurm/slurm.conf of its own"
  fi
  configure "$dir"
  ln -sfn "$dir/etc/slurm.conf" /etc/slurm/slurm.conf
  ln -sfn "$dir/etc/gres.conf" /etc/slurm/gres.conf
  if ! munge --no-input >/dev/null 2>&1; then
    command install -d -o munge -g munge -m 755 /run/munge || cannot "there is no user munge"
    runuser -u munge -- munged || cannot "munged does not start"
    cp /run/munge/munged.pid "$dir/run/munged.pid" 2>/dev/null || true
    wait_for 10 munge --no-input
  fi
  slurmctld || cannot "slurmctld does not start: $(tail -n 1 "$dir/log/slurmctld.log")"
  wait_for 10 scontrol ping
  slurmd || cannot "slurmd does not start: $(tail -n 1 "$dir/log/slurmd.log")"
  wait_for 15 node_is_up
}

stop() {
  local dir=$1 name pid
  for name in slurmd slurmctld munged; do
    if [ -s "$dir/run/$name.pid" ]; then
      pid=$(cat "$dir/run/$name.pid")
      kill "$pid" 2>/dev/null || continue
      for _ in $(seq 10); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
      # Nothing of its state is kept, so it need not end gracefully.
      kill -KILL "$pid" 2>/dev/null || true
    fi
  done
  if ours "$dir"; then rm -f /etc/slurm/slurm.conf /etc/slurm/gres.conf; fi
}

unset SLURM_CONF
action=${1:-}
[ "$action" = install ] || dir=$(readlink -m "${2:?usage: one_node.sh install | start DIR | slurmd DIR | stop DIR}")
case "$action" in
  install) install ;;
  start) start "$dir" ;;
  slurmd) slurmd && wait_for 15 node_is_up ;;
  stop) stop "$dir" ;;
  *) cannot "usage: one_node.sh install | start DIR | slurmd DIR | stop DIR" ;;
esac
