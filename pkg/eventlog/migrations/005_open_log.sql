-- The functions below keep this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- A database that was rolled back, restored, or replaced by a standby lacks
-- events without knowing it, and would carry out their commands again. So the
-- log takes events only in the life of a server in which a keeper has compared
-- it with its copy: log_epoch.started is the start of that server. A failover or
-- a restored backup brings another start of the server with it. A dump that is
-- loaded into a running server does not: see deploy/RECOVERY.md.
UPDATE log_epoch SET started = '-infinity' WHERE NOT EXISTS (SELECT FROM events);

-- log_is_open reports whether the log takes events.
CREATE FUNCTION log_is_open() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
RETURN EXISTS (SELECT FROM log_epoch WHERE started = pg_postmaster_start_time());

-- open_epoch notes the cluster that the log is in, without opening the log, and
-- returns its epoch there.
CREATE FUNCTION open_epoch() RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE log_epoch e SET epoch = e.epoch + (e.system <> c.system_identifier)::integer, system = c.system_identifier
        FROM pg_control_system() c
        RETURNING e.epoch;
$$;

-- open_log lets the log take events, until the server's end or close_log. Its
-- caller has compared the log with its copy.
CREATE FUNCTION open_log() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT open_epoch();
    UPDATE log_epoch SET started = pg_postmaster_start_time() WHERE started <> pg_postmaster_start_time();
$$;

-- close_log has the log refuse events.
CREATE FUNCTION close_log() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE log_epoch SET started = '-infinity' WHERE started <> '-infinity';
$$;

-- current_epoch returns the epoch of the log that is open.
--
-- SQLSTATE EV007: the log is closed.
CREATE OR REPLACE FUNCTION current_epoch() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    known integer;
BEGIN
    SELECT epoch INTO known FROM log_epoch WHERE started = pg_postmaster_start_time();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the event log is closed until a keeper has compared it with its copy' USING ERRCODE = 'EV007';
    END IF;
    RETURN known;
END $$;

-- append_events is as it was, but for a log that is closed: it says so before
-- it looks for predecessors, which may be lost.
CREATE OR REPLACE FUNCTION append_events(
    wait boolean, streams text[], versions bigint[], ids text[], types text[],
    integrations text[], operations text[], commands text[], callers text[], accounts text[], datas bytea[]
) RETURNS TABLE (recorded timestamptz, prev_hash bytea, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    lock_space  integer := 'events'::regclass::oid::integer;
    this_epoch  integer := current_epoch();
    now         timestamptz;
    times       timestamptz[] := '{}';
    prev_hashes bytea[] := '{}';
    hashes      bytea[] := '{}';
BEGIN
    -- The locks come before the transaction has an id: so the writers of one
    -- stream get their ids in the order in which they write, and the
    -- sequencer, which goes by the ids, cannot turn a stream around.
    IF wait THEN
        PERFORM pg_advisory_xact_lock(lock_space, hashtext(streams[1]));
    END IF;
    FOR i IN 1 .. cardinality(streams) LOOP
        IF NOT pg_try_advisory_xact_lock(lock_space, hashtext(streams[i])) THEN
            RAISE EXCEPTION 'stream % is being written', streams[i] USING ERRCODE = 'EV004';
        END IF;
    END LOOP;
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE EXCEPTION 'append must be the only write of its transaction' USING ERRCODE = 'EV002';
    END IF;

    now := clock_timestamp();
    FOR i IN 1 .. cardinality(streams) LOOP
        IF NOT publishable(integrations[i], operations[i], types[i], ids[i], streams[i],
                           commands[i], callers[i], accounts[i], datas[i]) THEN
            RAISE EXCEPTION 'event % of type % could never be published', ids[i], types[i] USING ERRCODE = 'EV003';
        END IF;
        IF streams[i] = streams[i - 1] AND versions[i] = versions[i - 1] + 1 THEN
            prev_hash := hash;
        ELSIF versions[i] = 1 THEN
            recorded := now;
            prev_hash := '';
        ELSE -- a stream's time never runs backwards, even where the clock does
            SELECT greatest(e.recorded_at, now), e.hash INTO recorded, prev_hash
                FROM events e WHERE e.stream_id = streams[i] AND e.version = versions[i] - 1;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'stream % has no version %', streams[i], versions[i] - 1 USING ERRCODE = 'EV001';
            END IF;
        END IF;
        hash := event_hash(prev_hash, ids[i], types[i], streams[i], versions[i], recorded, integrations[i],
                           operations[i], commands[i], callers[i], accounts[i], datas[i]);
        times := times || recorded;
        prev_hashes := prev_hashes || prev_hash;
        hashes := hashes || hash;
    END LOOP;

    RETURN QUERY INSERT INTO events AS e (epoch, place, stream_id, version, recorded_at, id, type, integration,
                                          operation, command, caller, account, data, prev_hash, hash)
        SELECT this_epoch, n.*
            FROM (SELECT generate_subscripts(streams, 1), unnest(streams), unnest(versions), unnest(times),
                         unnest(ids), unnest(types), unnest(integrations), unnest(operations), unnest(commands),
                         unnest(callers), unnest(accounts), unnest(datas), unnest(prev_hashes), unnest(hashes)) n
        RETURNING e.recorded_at, e.prev_hash, e.hash;
END $$;

-- sequence_events is as it was, and also reports whether events wait for their
-- place because an older transaction is still running.
DROP FUNCTION sequence_events;
CREATE FUNCTION sequence_events(most integer, OUT head bigint, OUT moved integer, OUT held boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    done       log_cursor;
    this_epoch integer := current_epoch();
    settled    boolean;
BEGIN
    SELECT * INTO done FROM log_cursor;
    head := done.seq;
    moved := 0;
    -- Looking first keeps an idle log from writing at each poll.
    SELECT e.epoch < this_epoch OR e.xid < pg_snapshot_xmin(pg_current_snapshot()) INTO settled
        FROM events e
        WHERE (e.epoch, e.xid, e.place) > (done.epoch, done.xid, done.place)
        ORDER BY e.epoch, e.xid, e.place LIMIT 1;
    held := coalesce(NOT settled, false);
    IF settled IS NOT TRUE THEN
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

-- oldest_writer returns the process and the database of the transaction that
-- holds the order back: the oldest of the cluster that has written. The process
-- is null for a transaction that is prepared.
CREATE FUNCTION oldest_writer() RETURNS TABLE (process integer, database text)
LANGUAGE sql STABLE AS $$
    SELECT l.pid, a.datname FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
        ORDER BY age(l.transactionid) DESC LIMIT 1;
$$;

REVOKE ALL ON FUNCTION log_is_open, open_epoch, open_log, close_log, current_epoch, sequence_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log_is_open TO igw_service, igw_accounts, igw_keeper, igw_auditor;
GRANT EXECUTE ON FUNCTION open_log, close_log, sequence_events TO igw_keeper;
