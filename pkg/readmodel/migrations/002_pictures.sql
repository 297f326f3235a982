-- Commands in the log so far have no picture, so that nothing is to be read again.
ALTER TABLE read_commands ADD COLUMN picture text COLLATE "C" NOT NULL DEFAULT '';

---- create above / drop below ----

ALTER TABLE read_commands DROP COLUMN picture;
