-- The functions below keep this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- predecessor_time returns when the predecessor of a stream's version was
-- recorded. The hash is what the appender knows of it, empty for none: a stream
-- that was lost with the end of the database and begun anew has others.
--
-- SQLSTATE EV001: the predecessor is missing, or another.
CREATE FUNCTION predecessor_time(stream text, version bigint, hash bytea) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
    recorded timestamptz;
BEGIN
    IF version = 1 AND hash = '' THEN
        RETURN '-infinity';
    END IF;
    SELECT e.recorded_at INTO recorded FROM events e
        WHERE e.stream_id = stream AND e.version = predecessor_time.version - 1 AND e.hash = predecessor_time.hash;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'stream % has no version %, or another', stream, version - 1 USING ERRCODE = 'EV001';
    END IF;
    RETURN recorded;
END $$;

-- lock_streams has the transaction be the only writer of streams until it ends.
-- Whether it waits for another writer of the first is the caller's choice; for
-- the others it never waits, since two that wait for each other would wait for
-- ever. It comes before the transaction has an id: so the writers of one stream
-- get their ids in the order in which they write, and the sequencer, which goes
-- by the ids, cannot turn a stream around.
--
-- SQLSTATE EV002: the transaction wrote something before.
-- SQLSTATE EV004: a stream has another writer at this moment.
CREATE FUNCTION lock_streams(wait boolean, streams text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    lock_space integer := 'events'::regclass::oid::integer;
BEGIN
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
END $$;

-- append_events adds events to the ends of streams, all or none, and returns
-- for each when it was recorded, its predecessor's hash and its own. The
-- events of one stream stand together, in order. For each event previous has the
-- hash of its predecessor, empty for a stream's first, or null for the event
-- before it in this call.
--
-- SQLSTATE EV001: an event's predecessor is missing, or another.
-- SQLSTATE 23505: an event's version or id is taken.
-- SQLSTATE EV003: an event that could never be published.
-- The others are those of current_epoch and lock_streams.
DROP FUNCTION append_events;
CREATE FUNCTION append_events(
    wait boolean, streams text[], versions bigint[], previous bytea[], ids text[], types text[],
    integrations text[], operations text[], commands text[], callers text[], accounts text[], datas bytea[]
) RETURNS TABLE (recorded timestamptz, prev_hash bytea, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    this_epoch  integer := current_epoch(); -- before predecessors, which a closed log may have lost
    now         timestamptz;
    times       timestamptz[] := '{}';
    prev_hashes bytea[] := '{}';
    hashes      bytea[] := '{}';
BEGIN
    PERFORM lock_streams(wait, streams);
    now := clock_timestamp();
    FOR i IN 1 .. cardinality(streams) LOOP
        IF NOT publishable(integrations[i], operations[i], types[i], ids[i], streams[i],
                           commands[i], callers[i], accounts[i], datas[i]) THEN
            RAISE EXCEPTION 'event % of type % could never be published', ids[i], types[i] USING ERRCODE = 'EV003';
        END IF;
        IF previous[i] IS NULL AND streams[i] = streams[i - 1] AND versions[i] = versions[i - 1] + 1 THEN
            prev_hash := hash;
        ELSE -- a stream's time never runs backwards, even where the clock does
            prev_hash := previous[i];
            recorded := greatest(predecessor_time(streams[i], versions[i], prev_hash), now);
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

REVOKE ALL ON FUNCTION append_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events TO igw_service, igw_accounts;
