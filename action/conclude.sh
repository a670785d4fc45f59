#!/usr/bin/env bash
# The outcome of the job. Anything but a pass stops it, except an inconclusive audit with `warn`.
set -eu
case "${CONCLUSION:-}" in
pass) echo "askew: the policy passes" ;;
inconclusive)
  if [ "$INCONCLUSIVE" = warn ]; then
    echo "::warning title=askew::the outcome is inconclusive: run more items"
  else
    echo "::error title=askew::the outcome is inconclusive: run more items"
    exit 1
  fi
  ;;
fail)
  echo "::error title=askew::the policy fails"
  exit 1
  ;;
*)
  echo "::error title=askew::the audit did not run"
  exit 1
  ;;
esac
