-- A row that a statement calls failed moved nothing, but speaks of a movement that we may have booked: such rows are few, and looked
-- for by account and time whenever movements without a line are listed.
CREATE INDEX statement_lines_failed ON statement_lines (account, at) WHERE status = 'failed' AND NOT is_void;
