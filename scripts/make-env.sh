#!/bin/sh
# Writes .env (or the file named) with fresh secrets for docker-compose.yml, readable by its owner only. An existing
# file is left alone: its secrets protect data that others cannot read.
set -eu
cd "$(dirname "$0")/.."
file="${1:-.env}"
if [ -e "$file" ]; then
  echo "$file exists already; nothing was written" >&2
  exit 1
fi
umask 077

base64_key() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
hex() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
# Every network speaks at the bill doors with a token of its own; the simulator, which plays them all, knows each.
bill_tokens() {
  all=
  for network in m-pesa airtel-money tigo-pesa halopesa t-pesa azampesa; do
    token=$(hex 24)
    printf 'BILL_TOKEN_%s=%s\n' "$(printf %s "$network" | tr a-z- A-Z_)" "$token"
    all="$all$network:$token,"
  done
  printf 'SIMULATOR_BILL_TOKENS=%s\n' "${all%,}"
}

cat > "$file" <<SECRETS
# Made by scripts/make-env.sh. docs/operations/secrets.md says what each is for and how it is replaced.
POSTGRES_PASSWORD=$(hex 24)
POSTGRES_API_PASSWORD=$(hex 24)
POSTGRES_WORKER_PASSWORD=$(hex 24)
POSTGRES_READER_PASSWORD=$(hex 24)
POSTGRES_TEMPORAL_PASSWORD=$(hex 24)
KEY_HASH_SECRET=$(base64_key)
ENCRYPTION_KEY=$(base64_key)
SUBMISSION_KEY=$(base64_key)
NOTIFICATION_SECRET=$(base64_key)
PAGE_KEY=$(base64_key)
PAYLOAD_ENCRYPTION_KEYS=first:$(base64_key)
CODEC_TOKEN=$(hex 24)
GSMA_PASSWORD=$(hex 24)
BANK_SECRET=$(hex 24)
$(bill_tokens)
SECRETS
echo "$file is written" >&2
