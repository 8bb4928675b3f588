-- migration: without transaction
-- A line with a known receipt in another spelling is the same line told twice (decisions §23).
DROP INDEX CONCURRENTLY IF EXISTS statement_lines_plain;
CREATE INDEX CONCURRENTLY statement_lines_plain ON statement_lines (plain_name(receipt), account) WHERE receipt IS NOT NULL;
