-- The functions below keep this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- A dump that is loaded into a running server brings with it the start of that
-- server at which the log was opened. So the log is open only as long as its
-- events are in the same file, too: tables that are made anew are in another one,
-- in this database or in a copy of it.
ALTER TABLE log_epoch ADD file text NOT NULL DEFAULT ''; -- that had the events when the log was opened

-- log_is_open reports whether the log takes events.
CREATE OR REPLACE FUNCTION log_is_open() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM log_epoch WHERE started = pg_postmaster_start_time() AND file = pg_relation_filepath('events'));
$$;

-- open_log lets the log take events, until the server's end, a reload of its
-- tables or close_log. Its caller has compared the log with its copy.
CREATE OR REPLACE FUNCTION open_log() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT open_epoch();
    UPDATE log_epoch SET started = pg_postmaster_start_time(), file = pg_relation_filepath('events') WHERE NOT log_is_open();
$$;

-- current_epoch returns the epoch of the log that is open.
--
-- SQLSTATE EV007: the log is closed.
CREATE OR REPLACE FUNCTION current_epoch() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    known integer;
BEGIN
    SELECT epoch INTO known FROM log_epoch WHERE started = pg_postmaster_start_time() AND file = pg_relation_filepath('events');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the event log is closed until a keeper has compared it with its copy' USING ERRCODE = 'EV007';
    END IF;
    RETURN known;
END $$;
