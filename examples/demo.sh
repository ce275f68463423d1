#!/bin/sh
# The five outcomes a user meets, on evidence written for this project. Run by `make demo`.
set -eu
cd "$(dirname "$0")"

show() {
  printf '\n$ epoche'
  for word in "$@"; do case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n\n'
  epoche "$@"
}

# Supported
show verify "Vitamin D supplementation reduces the rate of acute respiratory infection." --evidence vitamin-d
# Refuted
show verify "Vitamin D supplementation has no effect on acute respiratory infection." --evidence vitamin-d/trial.txt
# Not settled by this evidence
show verify "Vitamin D supplementation lowers blood pressure." --evidence vitamin-d/trial.txt
# A question
show ask "Does vitamin D supplementation reduce acute respiratory infections?" --evidence vitamin-d/trial.txt
# Two documents disagree: a policy that abstains on conflict withholds the answer
show verify "Atorvastatin increases the intensity of muscle pain." --evidence notes --policy cautious.json
