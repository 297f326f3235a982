-- The functions below keep this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- sequence_events gives the next events, at most `most` of them, their places
-- in the global order and moves the cursor. It returns the log's last seq and
-- how many events it moved.
--
-- Commits do not come in the order of ids, so a reader that just goes on from
-- the last id it saw loses those that commit late. An id below the oldest
-- one still running is settled: committed and visible, or gone for good. Rows
-- and horizon come from the snapshot of one and the same statement.
CREATE FUNCTION sequence_events(most integer, OUT head bigint, OUT moved integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    done       log_cursor;
    this_epoch integer := current_epoch();
BEGIN
    SELECT * INTO done FROM log_cursor;
    head := done.seq;
    moved := 0;
    -- Looking first keeps an idle log from writing at each poll.
    PERFORM FROM events e
        WHERE (e.epoch, e.xid, e.place) > (done.epoch, done.xid, done.place)
          AND (e.epoch < this_epoch OR e.xid < pg_snapshot_xmin(pg_current_snapshot()))
        LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    SELECT * INTO done FROM log_cursor FOR UPDATE;
    WITH batch AS (
        SELECT e.epoch, e.xid, e.place, e.stream_id, e.version, e.recorded_at, e.integration, e.operation, e.type,
               e.command, e.caller, e.account, e.hash
            FROM events e
            WHERE (e.epoch, e.xid, e.place) > (done.epoch, done.xid, done.place)
              AND (e.epoch < this_epoch OR e.xid < pg_snapshot_xmin(pg_current_snapshot()))
            ORDER BY e.epoch, e.xid, e.place
            LIMIT most
    ), new_kinds AS ( -- the cursor's lock keeps other sequencers from adding the same
        INSERT INTO log_kind AS k (integration, operation, type)
            SELECT b.integration, b.operation, b.type FROM batch b
            EXCEPT SELECT o.integration, o.operation, o.type FROM log_kind o
            RETURNING k.*
    ), kinds AS (
        SELECT * FROM log_kind UNION ALL SELECT * FROM new_kinds
    ), numbered AS (
        SELECT b.*, done.seq + row_number() OVER (ORDER BY b.epoch, b.xid, b.place) AS seq FROM batch b
    ), written AS (
        INSERT INTO log (seq, kind, version, recorded_at, stream_id, command, caller, account, hash)
            SELECT n.seq, k.kind, n.version, n.recorded_at, n.stream_id, n.command, n.caller, n.account, n.hash
                FROM numbered n JOIN kinds k USING (integration, operation, type)
    ), latest AS (
        SELECT n.seq, n.epoch, n.xid, n.place FROM numbered n ORDER BY n.seq DESC LIMIT 1
    )
    UPDATE log_cursor c
        SET seq = l.seq, epoch = l.epoch, xid = l.xid, place = l.place
        FROM latest l
        RETURNING c.seq, c.seq - done.seq INTO head, moved;
    IF NOT FOUND THEN -- another sequencer was faster
        head := done.seq;
        moved := 0;
    END IF;
END $$;

REVOKE ALL ON FUNCTION sequence_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sequence_events TO igw_keeper;
