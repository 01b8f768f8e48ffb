#!/bin/sh
# One night: a further seed of every task, then the verdict. 3, too early to tell, does not break the build.
set -eu
NIGHT=$(($(cat runs/night 2>/dev/null || echo 0) + 1))
lookaway run --suite diorama --models models/new.toml --seeds "$NIGHT" --out runs/new
lookaway run --suite diorama --models models/old.toml --seeds "$NIGHT" --out runs/old
echo "$NIGHT" > runs/night
code=0
lookaway check runs/new --against runs/old --fail-if "world_clock worsens 0.1" --fail-if "return_identity worsens 0.1" \
  --evidence runs/evidence --junit check.xml || code=$?
[ "$code" -eq 3 ] || exit "$code"
