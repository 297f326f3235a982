-- The functions below keep this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

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

-- is_json says whether data is a JSON text in UTF-8. It has an error of its own
-- for nothing: the database's quotes the data.
CREATE FUNCTION is_json(data bytea) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM convert_from(data, 'UTF8')::json;
    RETURN true;
EXCEPTION WHEN data_exception OR statement_too_complex THEN
    RETURN false;
END $$;

-- publishable says whether an event can stand in a NATS subject and message, as
-- contracts/event has it. One that cannot would stop the relay for ever.
CREATE FUNCTION publishable(
    integration text, operation text, type text, id text, stream text, command text, caller text, account text, data bytea
) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN integration || ' ' || operation || ' ' || type
       ~ '^[a-z0-9]+(-[a-z0-9]+)* ([a-z0-9]+(-[a-z0-9]+)*)? [a-z0-9]+(-[a-z0-9]+)*[.][a-z0-9]+(-[a-z0-9]+)*$'
   AND id <> '' AND stream <> ''
   AND greatest(octet_length(integration), octet_length(operation), octet_length(type), octet_length(id), octet_length(stream),
                octet_length(command), octet_length(caller), octet_length(account)) <= 256
   -- Nearly all are of printable ASCII. The others have no control characters and no noncharacters.
   AND (id || stream || command || caller || account COLLATE "C" !~ '[^ -~]'
        OR id || stream || command || caller || account COLLATE "C" !~ ('[\u0001-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff'
           '\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe\U0003ffff\U0004fffe\U0004ffff\U0005fffe\U0005ffff\U0006fffe\U0006ffff'
           '\U0007fffe\U0007ffff\U0008fffe\U0008ffff\U0009fffe\U0009ffff\U000afffe\U000affff\U000bfffe\U000bffff\U000cfffe\U000cffff'
           '\U000dfffe\U000dffff\U000efffe\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff]'))
   AND octet_length(data) <= 786432 AND is_json(data);

-- event_hash is Hash of contracts/event. One concat_ws and one conversion
-- take a third of the time of a conversion for each field.
CREATE FUNCTION event_hash(
    prev_hash bytea, id text, type text, stream text, version bigint, recorded timestamptz,
    integration text, operation text, command text, caller text, account text, data bytea
) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(convert_to(concat_ws(' ',
        'integration.gateway/event/v1', version, (extract(epoch FROM recorded) * 1000000)::bigint,
        octet_length(prev_hash) * 2, encode(prev_hash, 'hex'),
        octet_length(id),            id,
        octet_length(type),          type,
        octet_length(stream),        stream,
        octet_length(integration),   integration,
        octet_length(operation),     operation,
        octet_length(command),       command,
        octet_length(caller),        caller,
        octet_length(account),       account,
        octet_length(data),          ''), 'UTF8') || data);

-- append_events adds events to the ends of streams, all or none, and returns
-- for each when it was recorded, its predecessor's hash and its own. The
-- events of one stream stand together, in order. Whether it waits for another
-- writer of the first event's stream is the caller's choice; for the others it
-- never waits, since two that wait for each other would wait for ever.
--
-- SQLSTATE EV001: an event's predecessor is missing.
-- SQLSTATE 23505: an event's version or id is taken.
-- SQLSTATE EV002: the transaction wrote something before.
-- SQLSTATE EV003: an event that could never be published.
-- SQLSTATE EV004: a stream has another writer at this moment.
CREATE FUNCTION append_events(
    wait boolean, streams text[], versions bigint[], ids text[], types text[],
    integrations text[], operations text[], commands text[], callers text[], accounts text[], datas bytea[]
) RETURNS TABLE (recorded timestamptz, prev_hash bytea, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    lock_space  integer := 'events'::regclass::oid::integer;
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
        SELECT coalesce((SELECT p.epoch FROM log_epoch p WHERE p.started = pg_postmaster_start_time()), current_epoch()), n.*
            FROM (SELECT generate_subscripts(streams, 1), unnest(streams), unnest(versions), unnest(times),
                         unnest(ids), unnest(types), unnest(integrations), unnest(operations), unnest(commands),
                         unnest(callers), unnest(accounts), unnest(datas), unnest(prev_hashes), unnest(hashes)) n
        RETURNING e.recorded_at, e.prev_hash, e.hash;
END $$;

REVOKE ALL ON FUNCTION current_epoch, append_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_events TO igw_service, igw_accounts;
