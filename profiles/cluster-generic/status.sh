#!/usr/bin/env bash
# Prints running, success or failed for the job id that the submit command printed.
state=$(squeue --noheader --states=all --format=%T --jobs="$1" 2>/dev/null)
# squeue forgets finished jobs after some minutes; sacct does not, where the site keeps accounts.
[ -n "$state" ] || state=$(sacct --allocations --noheader --parsable2 --format=State --jobs="$1" 2>/dev/null)
case "$state" in
  COMPLETED*) echo success ;;
  "" | PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | RESIZING | PREEMPTED) echo running ;;
  *) echo failed ;;
esac
