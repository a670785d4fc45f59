#!/usr/bin/env bash
# Run, report, apply the policy. The conclusion is an output, so results are kept either way.
set -uo pipefail

conclude() {
  echo "conclusion=$1" >>"$GITHUB_OUTPUT"
  exit 0
}
broken() {
  printf '## askew: the audit did not run\n\n%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"
  echo "::error title=askew::$1"
  conclude error
}

# The only place that knows how an audit is run.
audit() {
  local words=()
  # Tasks and arguments are lists of words on purpose; nothing of them is read by the shell.
  read -r -a tasks <<<"$TASKS"
  read -r -a words <<<"$ARGUMENTS"
  if [ -n "$ITEMS" ]; then words+=(-T "items=$ITEMS"); fi
  inspect eval-set "${tasks[@]}" --model "$MODELS" --log-dir "$FOLDER/logs" --display plain \
    --no-fail-on-error ${words[@]+"${words[@]}"}
}

[ -f "$POLICY" ] || broken "there is no policy $POLICY"
# A pull request may bring logs in its checkout, which would be taken for finished work.
if [ "${RESUME:-false}" != true ] && { [ -e "$FOLDER/logs" ] || [ -L "$FOLDER/logs" ]; }; then
  broken "$FOLDER/logs is there before the audit; empty it, or set resume: true if you trust it"
fi
mkdir -p "$FOLDER"
audit || echo "::warning title=askew::some tasks did not finish; the gate lists what is missing"
askew report "$FOLDER/logs" --policy "$POLICY" -o "$FOLDER/report.html" -o "$FOLDER/report.json" ||
  broken "no report from $FOLDER/logs"
askew report "$FOLDER/logs" --policy "$POLICY" --quiet -o "$FOLDER/summary.md" ||
  broken "no summary from $FOLDER/logs"
askew report "$FOLDER/logs" --policy "$POLICY" --card --quiet -o "$FOLDER/cards" ||
  broken "no summary cards from $FOLDER/logs"
askew gate "$FOLDER/logs" --policy "$POLICY" -o "$FOLDER/gate.json" --junit "$FOLDER/gate.xml"
code=$?

{
  cat "$FOLDER/summary.md"
  printf '\n<details><summary>The policy</summary>\n\n'
  tr '\r' '\n' <"$POLICY" | sed 's/^/    /' # indented: no line of it can end a block of code
  printf '\n\n</details>\n'
} >>"$GITHUB_STEP_SUMMARY"

[ -s "$FOLDER/gate.json" ] || broken "the policy could not be applied to $FOLDER/logs"
case "$code" in
0) conclude pass ;;
1) conclude fail ;;
3) conclude inconclusive ;;
*) broken "askew gate ended with $code" ;;
esac
