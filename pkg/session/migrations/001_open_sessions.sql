-- As in the event log's migrations: the function below keeps this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- One row for each session that is open, or being opened.
CREATE TABLE open_sessions (
    id       text COLLATE "C" NOT NULL PRIMARY KEY,
    caller   text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL -- that holds its browser; empty once a live one ends what a dead one left behind
);
CREATE INDEX open_sessions_of_caller ON open_sessions (caller);

-- enter_session notes a session that is about to be opened, unless its caller
-- has as many as it may have already. It says whether it has.
CREATE FUNCTION enter_session(session text, of_caller text, at_instance text, max_caller integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    -- The statement behind this lock sees what the last one to hold it noted.
    PERFORM pg_advisory_xact_lock('open_sessions'::regclass::oid::integer, hashtext(of_caller));
    INSERT INTO open_sessions (id, caller, instance)
        SELECT session, of_caller, at_instance
        WHERE (SELECT count(*) FROM open_sessions o WHERE o.caller = of_caller) < max_caller;
    RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION enter_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enter_session TO igw_service;
GRANT SELECT, UPDATE (instance), DELETE ON open_sessions TO igw_service;
GRANT SELECT ON open_sessions TO igw_keeper, igw_auditor;

---- create above / drop below ----

DROP FUNCTION enter_session;
DROP TABLE open_sessions;
