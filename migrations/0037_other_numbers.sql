-- What a line calls a movement beside its receipt: numbers that only point.
ALTER TABLE statement_lines ADD COLUMN also_known_as text[] COLLATE "C" NOT NULL DEFAULT '{}';
