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
# Every network speaks at the bill door with a token of its own.
bill_tokens() {
  for network in m-pesa airtel-money tigo-pesa halopesa t-pesa azampesa; do
    printf '%s:%s,' "$network" "$(hex 24)"
  done | sed 's/,$//'
}

cat > "$file" <<SECRETS
# Made by scripts/make-env.sh. docs/operations/keys.md says what each is for and how it is replaced.
POSTGRES_PASSWORD=$(hex 24)
KEY_HASH_SECRET=$(base64_key)
ENCRYPTION_KEY=$(base64_key)
NOTIFICATION_SECRET=$(base64_key)
PAYLOAD_ENCRYPTION_KEYS=first:$(base64_key)
CODEC_TOKEN=$(hex 24)
GSMA_PASSWORD=$(hex 24)
BANK_SHARED_SECRET=$(hex 24)
BILL_DOOR_TOKENS=$(bill_tokens)
SECRETS
echo "$file is written" >&2
