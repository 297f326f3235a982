-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The processes that carry out commands. One whose row is missing or has
-- expired counts as dead; see command.Instance.
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
    writes      boolean          NOT NULL, -- its operation has an effect
    leased      boolean          NOT NULL DEFAULT false, -- it holds its account's lease
    effect      text COLLATE "C" NOT NULL DEFAULT '', -- kind of the effect that was started
    in_doubt    boolean          NOT NULL DEFAULT false, -- nobody knows what became of that effect
    looks       integer          NOT NULL DEFAULT 0, -- how often its reconciliation was begun
    look_at     timestamptz      NOT NULL DEFAULT clock_timestamp() -- when to begin it next
);
CREATE INDEX open_commands_of_account ON open_commands (account, place) WHERE writes;
-- An account has one lease, whoever grants it.
CREATE UNIQUE INDEX open_commands_lease ON open_commands (account) WHERE leased AND account <> '';

-- keep_open_commands follows the log within the transaction of each append: a
-- command is open from its acceptance to its end. It is also the last guard of
-- an effect: a command starts one, and only while it holds its account's
-- lease. What it refuses looks to the writer like the version conflict that
-- it nearly always is: somebody else has gone on with this command.
CREATE FUNCTION keep_open_commands() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    command text := substr(NEW.stream_id, length('command/') + 1);
    told    json;
BEGIN
    CASE NEW.type
    WHEN 'command.accepted' THEN
        told := convert_from(NEW.data, 'UTF8')::json;
        INSERT INTO open_commands (id, integration, account, instance, writes)
            VALUES (command, NEW.integration, NEW.account, coalesce(told ->> 'instance', ''), coalesce(told ->> 'effect', '') <> '');
    WHEN 'effect.started' THEN
        told := convert_from(NEW.data, 'UTF8')::json;
        UPDATE open_commands o SET effect = told ->> 'effect' WHERE o.id = command AND o.leased AND o.effect = '';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'command % does not hold its account''s lease, or has started its effect already', command
                USING ERRCODE = 'unique_violation', CONSTRAINT = 'one effect under a lease';
        END IF;
    WHEN 'effect.unknown' THEN
        UPDATE open_commands o SET in_doubt = true, leased = false, look_at = clock_timestamp() WHERE o.id = command;
    ELSE
        DELETE FROM open_commands o WHERE o.id = command;
    END CASE;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_open_commands AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'command/') AND
          NEW.type IN ('command.accepted', 'effect.started', 'effect.unknown', 'command.completed', 'command.rejected'))
    EXECUTE FUNCTION keep_open_commands();

-- lease_account gives the oldest open write of an account the account's lease,
-- once no other holds it. Granted is null for a command that is not open:
-- somebody else has ended it. Doubt names a command of the account whose effect
-- of the same kind is in doubt; then nothing is granted.
CREATE FUNCTION lease_account(command text, kind text, OUT granted boolean, OUT doubt text)
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
    SELECT o.id INTO doubt FROM open_commands o
        WHERE o.account = mine.account AND o.account <> '' AND o.writes AND o.in_doubt AND o.effect = kind ORDER BY o.place LIMIT 1;
    granted := doubt IS NULL AND NOT EXISTS (
        SELECT FROM open_commands o
        WHERE o.account = mine.account AND o.account <> '' AND o.writes AND NOT o.in_doubt AND o.id <> command AND (o.leased OR o.place < mine.place));
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
INSERT INTO open_commands (id, integration, account, instance, writes, effect, in_doubt)
    SELECT substr(a.stream_id, length('command/') + 1), a.integration, a.account, '', s.id IS NOT NULL,
           coalesce(convert_from(s.data, 'UTF8')::json ->> 'effect', ''),
           EXISTS (SELECT FROM events u WHERE u.stream_id = a.stream_id AND u.type = 'effect.unknown')
    FROM events a LEFT JOIN events s ON s.stream_id = a.stream_id AND s.type = 'effect.started'
    WHERE a.type = 'command.accepted' AND starts_with(a.stream_id, 'command/')
      AND NOT EXISTS (SELECT FROM events e WHERE e.stream_id = a.stream_id AND e.type IN ('command.completed', 'command.rejected'))
    ORDER BY a.epoch, a.xid, a.place;

---- create above / drop below ----

DROP TRIGGER keep_open_commands ON events;
DROP FUNCTION keep_open_commands, lease_account;
DROP TABLE open_commands, instances;
