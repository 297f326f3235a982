DO $$
BEGIN
    -- Hashes are over UTF-8, and lengths are those of the stored text.
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'the event log needs a database in UTF8, not %', getdatabaseencoding();
    END IF;
END $$;

-- Every event, exactly as it was appended. Text compares byte by byte,
-- whatever the database's locale. There are no CHECK constraints: Postgres
-- reads each of them anew for each insert, and rows come through
-- append_events only, which checks them in a tenth of the time.
CREATE TABLE events (
    stream_id   text COLLATE "C" NOT NULL,
    version     bigint           NOT NULL,
    epoch       integer          NOT NULL,
    xid         xid8             NOT NULL DEFAULT pg_current_xact_id(),
    place       integer          NOT NULL,
    recorded_at timestamptz      NOT NULL,
    id          text COLLATE "C" NOT NULL,
    type        text COLLATE "C" NOT NULL,
    integration text COLLATE "C" NOT NULL,
    operation   text COLLATE "C" NOT NULL,
    command     text COLLATE "C" NOT NULL,
    caller      text COLLATE "C" NOT NULL,
    account     text COLLATE "C" NOT NULL,
    data        bytea            NOT NULL,
    prev_hash   bytea            NOT NULL,
    hash        bytea            NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (stream_id, version),
    CONSTRAINT events_id_key UNIQUE (id)
);

-- The sequencer's order. A transaction appends once (see append_events); place
-- counts its events from 1.
CREATE UNIQUE INDEX events_order ON events (epoch, xid, place);

-- The kinds of events that there are: some hundreds, however long the log.
CREATE TABLE log_kind (
    kind        integer          NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    integration text COLLATE "C" NOT NULL,
    operation   text COLLATE "C" NOT NULL,
    type        text COLLATE "C" NOT NULL,
    CONSTRAINT log_kind_key UNIQUE (integration, operation, type)
);

-- The global order: seq is dense, from 1. The hash is the event's as it was
-- when it got its seq: a leaf of the log's Merkle tree. What else an event is
-- looked for by stands here too and not in indexes of events: so an append
-- does not pay for the searches, the sequencer does.
CREATE TABLE log (
    seq         bigint           NOT NULL PRIMARY KEY,
    kind        integer          NOT NULL,
    version     bigint           NOT NULL,
    recorded_at timestamptz      NOT NULL,
    stream_id   text COLLATE "C" NOT NULL,
    command     text COLLATE "C" NOT NULL,
    caller      text COLLATE "C" NOT NULL,
    account     text COLLATE "C" NOT NULL,
    hash        bytea            NOT NULL,
    CONSTRAINT log_event_key UNIQUE (stream_id, version)
);

-- A search takes the first events of each kind that it wants and merges them
-- (see Log.Query), which is fast for every combination, even one without
-- events. A command has few events: they need no kinds.
CREATE INDEX log_by_kind ON log (kind, seq);
CREATE INDEX log_by_caller ON log (caller, kind, seq);
CREATE INDEX log_by_account ON log (account, kind, seq);
CREATE INDEX log_by_command ON log (command, seq);

-- How far the sequencer has come: the last event that has a seq.
CREATE TABLE log_cursor (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    seq    bigint  NOT NULL,
    epoch  integer NOT NULL,
    xid    xid8    NOT NULL,
    place  integer NOT NULL
);
INSERT INTO log_cursor (seq, epoch, xid, place) VALUES (0, 0, '0', 0);

-- Transaction ids start again when a dump is restored into another cluster.
-- An epoch is the life of one log in one cluster; epochs come before ids in
-- the order of events.
CREATE TABLE log_epoch (
    single  boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    epoch   integer     NOT NULL,
    system  bigint      NOT NULL, -- the cluster's system identifier
    started timestamptz NOT NULL  -- the server's start at which that was looked up
);
INSERT INTO log_epoch (epoch, system, started)
    SELECT 1, system_identifier, pg_postmaster_start_time() FROM pg_control_system();

CREATE FUNCTION log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: the event log only grows', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER events_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuse();
CREATE TRIGGER log_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON log
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuse();
CREATE TRIGGER log_kind_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON log_kind
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuse();
-- Even in a session that has switched ordinary triggers off.
ALTER TABLE events ENABLE ALWAYS TRIGGER events_grow;
ALTER TABLE log ENABLE ALWAYS TRIGGER log_grow;
ALTER TABLE log_kind ENABLE ALWAYS TRIGGER log_kind_grow;

GRANT SELECT ON events, log, log_kind, log_cursor TO igw_service, igw_accounts, igw_keeper, igw_auditor;
