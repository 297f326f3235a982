-- Rows of sessions say more than before, so that all rows are made anew. The
-- lock waits for a projector that is at work, which would store what it has read.
LOCK TABLE read_cursor IN ACCESS EXCLUSIVE MODE;
DELETE FROM read_commands;
DELETE FROM read_sessions;
DELETE FROM read_accounts;
UPDATE read_cursor SET seq = 0;

ALTER TABLE read_sessions ADD COLUMN site text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE read_sessions ADD COLUMN detached bigint NOT NULL DEFAULT 0;

CREATE INDEX read_sessions_in_order       ON read_sessions (first_seq);
CREATE INDEX read_sessions_by_integration ON read_sessions (integration, first_seq);
CREATE INDEX read_sessions_by_caller      ON read_sessions (caller, first_seq);
CREATE INDEX read_sessions_by_account     ON read_sessions (account, first_seq);
CREATE INDEX read_sessions_by_state       ON read_sessions (state, first_seq);

---- create above / drop below ----

DROP INDEX read_sessions_in_order, read_sessions_by_integration, read_sessions_by_caller, read_sessions_by_account, read_sessions_by_state;
ALTER TABLE read_sessions DROP COLUMN detached;
ALTER TABLE read_sessions DROP COLUMN site;
