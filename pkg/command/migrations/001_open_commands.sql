-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The processes that carry out commands. One whose row is missing or has
-- expired counts as dead; see Instance.
CREATE TABLE instances (
    id      text COLLATE "C" NOT NULL PRIMARY KEY,
    expires timestamptz      NOT NULL
);

-- One row for each command that has no end in the log yet.
CREATE TABLE open_commands (
    id          text COLLATE "C" NOT NULL PRIMARY KEY,
    place       bigint           NOT NULL GENERATED ALWAYS AS IDENTITY, -- order of arrival
    integration text COLLATE "C" NOT NULL,
    account     text COLLATE "C" NOT NULL,
    instance    text COLLATE "C" NOT NULL, -- that carries it out
    effect      text COLLATE "C" NOT NULL, -- kind of effect that its operation has; empty for a read
    leased      boolean          NOT NULL DEFAULT false, -- it holds its account's lease
    started     boolean          NOT NULL DEFAULT false, -- its effect was started
    in_doubt    boolean          NOT NULL DEFAULT false, -- nobody knows what became of that effect
    looks       integer          NOT NULL DEFAULT 0, -- how often its reconciliation was begun
    look_at     timestamptz      NOT NULL DEFAULT clock_timestamp() -- when to begin it next
);
CREATE INDEX open_commands_of_account ON open_commands (account, place) WHERE effect <> '';
-- An account has one lease, whoever grants it.
CREATE UNIQUE INDEX open_commands_lease ON open_commands (account) WHERE leased AND account <> '';

-- keep_open_commands follows the log within the transaction of each append: a
-- command is open from its acceptance to its end. It is also the last guard:
-- a command begins once, starts one effect, and that only while it holds its
-- account's lease, and ends once. What it refuses looks to the writer like the
-- version conflict that it nearly always is: somebody else has gone on with
-- this command.
CREATE FUNCTION keep_open_commands() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    command text := substr(NEW.stream_id, length('command/') + 1);
    told    json;
BEGIN
    CASE NEW.type
    WHEN 'command.accepted' THEN
        -- An escaped NUL, which a request may hold, is JSON and yet no text to Postgres.
        told := replace(convert_from(NEW.data, 'UTF8'), '\u0000', '\u0020')::json;
        INSERT INTO open_commands (id, integration, account, instance, effect)
            SELECT command, NEW.integration, NEW.account, coalesce(told ->> 'instance', ''), coalesce(told ->> 'effect', '')
            WHERE NEW.version = 1;
    WHEN 'effect.started' THEN
        UPDATE open_commands o SET started = true WHERE o.id = command AND o.leased AND NOT o.started;
    WHEN 'effect.unknown' THEN
        UPDATE open_commands o SET in_doubt = true, leased = false, look_at = clock_timestamp() WHERE o.id = command AND o.started;
    ELSE
        DELETE FROM open_commands o WHERE o.id = command;
    END CASE;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% cannot follow what is in the log of command %, or it lacks its account''s lease', NEW.type, command
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'open_commands';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_open_commands AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'command/') AND
          NEW.type IN ('command.accepted', 'effect.started', 'effect.unknown', 'command.completed', 'command.rejected'))
    EXECUTE FUNCTION keep_open_commands();

-- lease_account gives the oldest open write of an account the account's lease,
-- once no other holds it. Granted is null for a command that is not open, or in
-- doubt: somebody else has gone on with it. Doubt names a command of the
-- account whose effect of the same kind is in doubt; then nothing is granted.
CREATE FUNCTION lease_account(command text, OUT granted boolean, OUT doubt text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    mine open_commands;
BEGIN
    SELECT * INTO mine FROM open_commands o WHERE o.id = command AND NOT o.in_doubt;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Each statement sees what was committed before it: behind this lock, also
    -- what the last one to hold it granted.
    PERFORM pg_advisory_xact_lock('open_commands'::regclass::oid::integer, hashtext(mine.account));
    -- What stands in the way, in one statement: a command that falls into doubt
    -- gives its lease back at the same moment, and must not be missed in between.
    SELECT count(*) = 0, min(o.id) FILTER (WHERE o.in_doubt) INTO granted, doubt
        FROM open_commands o
        WHERE o.account = mine.account AND o.account <> '' AND o.effect <> '' AND o.id <> command
          AND CASE WHEN o.in_doubt THEN o.effect = mine.effect ELSE o.leased OR o.place < mine.place END;
    IF granted THEN
        UPDATE open_commands o SET leased = true WHERE o.id = command AND NOT o.in_doubt;
        IF NOT FOUND THEN
            granted := NULL;
        END IF;
    END IF;
END $$;

REVOKE ALL ON FUNCTION lease_account, keep_open_commands FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_account TO igw_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON instances TO igw_service;
GRANT SELECT, UPDATE (looks, look_at) ON open_commands TO igw_service;
GRANT SELECT ON instances, open_commands TO igw_keeper, igw_auditor;

-- What is open in a log that was there before. No instance carries it out.
INSERT INTO open_commands (id, integration, account, instance, effect, started, in_doubt)
    SELECT substr(a.stream_id, length('command/') + 1), a.integration, a.account, '',
           coalesce(convert_from(s.data, 'UTF8')::json ->> 'effect', ''), s.id IS NOT NULL,
           EXISTS (SELECT FROM events u WHERE u.stream_id = a.stream_id AND u.type = 'effect.unknown')
    FROM events a LEFT JOIN events s ON s.stream_id = a.stream_id AND s.type = 'effect.started'
    WHERE a.type = 'command.accepted' AND starts_with(a.stream_id, 'command/')
      AND NOT EXISTS (SELECT FROM events e WHERE e.stream_id = a.stream_id AND e.type IN ('command.completed', 'command.rejected'))
    ORDER BY a.epoch, a.xid, a.place;

---- create above / drop below ----

DROP TRIGGER keep_open_commands ON events;
DROP FUNCTION keep_open_commands, lease_account;
DROP TABLE open_commands, instances;
