#!/bin/sh
# Temporal's own role and databases. The image of Postgres runs this once, when it makes its data.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_TEMPORAL_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE temporal LOGIN PASSWORD :'password';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE ALL ON DATABASE temporal, temporal_visibility FROM PUBLIC;
SQL
