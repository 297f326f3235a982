-- current_epoch returns the epoch of this cluster. The cluster is identified
-- once a server start: reading its control file takes longer than an append.
CREATE FUNCTION current_epoch() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    here  bigint;
    known integer;
BEGIN
    SELECT epoch INTO known FROM log_epoch WHERE started = pg_postmaster_start_time();
    IF FOUND THEN
        RETURN known;
    END IF;
    SELECT system_identifier INTO here FROM pg_control_system();
    UPDATE log_epoch
        SET epoch = epoch + (system <> here)::integer, system = here, started = pg_postmaster_start_time()
        WHERE started <> pg_postmaster_start_time();
    SELECT epoch INTO known FROM log_epoch;
    RETURN known;
END $$;

-- publishable says whether an event can stand in a NATS subject and message.
-- One that cannot would stop the relay for ever.
CREATE FUNCTION publishable(integration text, operation text, type text, data bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT integration ~ '^[a-z0-9-]+$' AND operation ~ '^[a-z0-9-]*$'
       AND type ~ '^[a-z0-9-]+[.][a-z0-9-]+$' AND octet_length(data) <= 786432
$$;

-- appended_before answers an append that came through before and whose answer
-- was lost: the hashes that it was given then. No row if there was none.
CREATE FUNCTION appended_before(
    stream text, expected bigint, ids text[], types text[], datas bytea[],
    OUT recorded timestamptz, OUT hashes bytea[]
) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT max(e.recorded_at), (array_agg(e.prev_hash ORDER BY e.version))[1:1] || array_agg(e.hash ORDER BY e.version)
        FROM events e
        JOIN unnest(ids, types, datas) WITH ORDINALITY AS want (id, type, data, n)
            ON e.id = want.id AND e.version = expected + want.n AND e.type = want.type AND e.data = want.data
        WHERE e.stream_id = stream
        HAVING count(*) = cardinality(ids)
$$;

-- append_events adds a batch to the end of one stream. It returns when the
-- events were recorded and their hashes, the predecessor's hash first.
--
-- SQLSTATE EV001: the stream's last version is not the expected one.
-- SQLSTATE EV002: the transaction wrote something before.
-- SQLSTATE EV003: an event that could never be published.
CREATE FUNCTION append_events(
    stream text, expected bigint,
    integration text, operation text, command text, caller text, account text,
    ids text[], types text[], datas bytea[],
    OUT recorded timestamptz, OUT hashes bytea[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    head_version bigint;
    head_hash    bytea;
    this_hash    bytea;
BEGIN
    -- The lock comes before the transaction has an id: so the writers of one
    -- stream get their ids in the order in which they write, and the
    -- sequencer, which goes by the ids, cannot turn a stream around.
    PERFORM pg_advisory_xact_lock('events'::regclass::oid::integer, hashtext(stream));
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE EXCEPTION 'append must be the only write of its transaction' USING ERRCODE = 'EV002';
    END IF;

    SELECT e.version, e.hash, e.recorded_at INTO head_version, head_hash, recorded
        FROM events e WHERE e.stream_id = stream ORDER BY e.version DESC LIMIT 1;
    IF NOT FOUND THEN
        head_version := 0;
        head_hash := '';
    END IF;
    IF head_version <> expected THEN
        SELECT b.recorded, b.hashes INTO recorded, hashes FROM appended_before(stream, expected, ids, types, datas) b;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'stream % is at version %, not %', stream, head_version, expected USING ERRCODE = 'EV001';
        END IF;
        RETURN;
    END IF;

    recorded := greatest(recorded, clock_timestamp()); -- a stream's time never runs backwards, even where the clock does
    hashes := ARRAY[head_hash];
    FOR i IN 1 .. cardinality(ids) LOOP
        IF NOT publishable(integration, operation, types[i], datas[i]) THEN
            RAISE EXCEPTION 'event % of type % could never be published', ids[i], types[i] USING ERRCODE = 'EV003';
        END IF;
        head_version := head_version + 1;
        -- The fields and their order are those of Hash in contracts/event.
        this_hash := sha256(
            int4send(28) || 'integration.gateway/event/v1'::bytea
            || int4send(octet_length(head_hash))   || head_hash
            || int4send(octet_length(ids[i]))      || convert_to(ids[i], 'UTF8')
            || int4send(octet_length(types[i]))    || convert_to(types[i], 'UTF8')
            || int4send(octet_length(stream))      || convert_to(stream, 'UTF8')
            || int4send(8)                         || int8send(head_version)
            || int4send(8)                         || int8send((extract(epoch FROM recorded) * 1000000)::bigint)
            || int4send(octet_length(integration)) || convert_to(integration, 'UTF8')
            || int4send(octet_length(operation))   || convert_to(operation, 'UTF8')
            || int4send(octet_length(command))     || convert_to(command, 'UTF8')
            || int4send(octet_length(caller))      || convert_to(caller, 'UTF8')
            || int4send(octet_length(account))     || convert_to(account, 'UTF8')
            || int4send(octet_length(datas[i]))    || datas[i]);
        INSERT INTO events (stream_id, version, epoch, recorded_at, id, type, integration, operation,
                            command, caller, account, data, prev_hash, hash)
            VALUES (stream, head_version,
                    coalesce((SELECT p.epoch FROM log_epoch p WHERE p.started = pg_postmaster_start_time()), current_epoch()), recorded,
                    ids[i], types[i], integration, operation, command, caller, account, datas[i], head_hash, this_hash);
        hashes := hashes || this_hash;
        head_hash := this_hash;
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION current_epoch, appended_before, append_events FROM PUBLIC;
