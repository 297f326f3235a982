-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- user_of returns who the account of an event signs in as at its site: what the
-- event tells, or the account itself for an event that does not.
CREATE FUNCTION user_of(data bytea, account text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN coalesce(nullif(replace(convert_from(data, 'UTF8'), '\u0000', '\u0020')::json ->> 'user', ''), account);

-- created_by returns what an event says that the command's effect has created.
CREATE FUNCTION created_by(data bytea) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN coalesce(replace(convert_from(data, 'UTF8'), '\u0000', '\u0020')::json ->> 'created', '');

ALTER TABLE open_commands
    ADD site_user text COLLATE "C", -- who its account signs in as at the site; see user_of
    ADD attended  boolean NOT NULL DEFAULT false; -- a session of that user was open meanwhile, and has ended
UPDATE open_commands o SET site_user = user_of(e.data, o.account) FROM events e WHERE e.stream_id = 'command/' || o.id AND e.version = 1;
UPDATE open_commands o SET site_user = o.account WHERE o.site_user IS NULL;
ALTER TABLE open_commands ALTER site_user SET NOT NULL;
CREATE INDEX open_commands_of_user ON open_commands (site_user, place) WHERE effect <> '';
-- A user has one lease, whoever grants it, and through whichever account.
CREATE UNIQUE INDEX open_commands_user_lease ON open_commands (site_user) WHERE leased AND account <> '';

-- The open sessions, by the user who is signed in there. A person acts in them
-- and leaves no command.
CREATE TABLE user_sessions (
    id        text COLLATE "C" NOT NULL PRIMARY KEY,
    account   text COLLATE "C" NOT NULL,
    site_user text COLLATE "C" NOT NULL
);

-- How often an effect of an account fell into doubt. A browser's state that was
-- made before the last time is not used any more.
CREATE TABLE state_generations (
    account    text COLLATE "C" NOT NULL PRIMARY KEY,
    generation bigint           NOT NULL
);

-- What effects have created, by the fingerprint of its identifier, with the
-- command whose effect it was. It grows as the log does.
CREATE TABLE created_effects (
    created text COLLATE "C" NOT NULL PRIMARY KEY,
    command text COLLATE "C" NOT NULL
);

-- command_may_begin_again says whether the event before a version is an end that
-- another attempt may follow, and each effect before it was started in vain.
CREATE FUNCTION command_may_begin_again(stream text, at_version bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT (SELECT CASE WHEN e.type IN ('command.completed', 'command.rejected')
                        THEN coalesce(replace(convert_from(e.data, 'UTF8'), '\u0000', '\u0020')::json ->> 'repeatable', '') = 'true' END
            FROM events e WHERE e.stream_id = stream AND e.version = at_version - 1)
       AND (SELECT count(*) FILTER (WHERE e.type = 'effect.started') = count(*) FILTER (WHERE e.type = 'effect.not-applied')
               AND count(*) FILTER (WHERE e.type IN ('effect.confirmed', 'effect.unknown', 'effect.reconciled')) = 0
            FROM events e WHERE e.stream_id = stream AND e.version < at_version)
$$;

-- keep_open_commands is as it was but for two rules: an open command also has
-- its user, and a command begins once more when its last end says so, and no
-- attempt before may have had an effect.
CREATE OR REPLACE FUNCTION keep_open_commands() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    command text := substr(NEW.stream_id, length('command/') + 1);
    told    json;
BEGIN
    CASE NEW.type
    WHEN 'command.accepted' THEN
        -- An escaped NUL, which a request may hold, is JSON and yet no text to Postgres.
        told := replace(convert_from(NEW.data, 'UTF8'), '\u0000', '\u0020')::json;
        INSERT INTO open_commands (id, integration, account, site_user, instance, effect)
            SELECT command, NEW.integration, NEW.account, user_of(NEW.data, NEW.account),
                   coalesce(told ->> 'instance', ''), coalesce(told ->> 'effect', '')
            WHERE NEW.version = 1 OR command_may_begin_again(NEW.stream_id, NEW.version);
    WHEN 'effect.started' THEN
        UPDATE open_commands o SET started = true WHERE o.id = command AND o.leased AND NOT o.started;
    WHEN 'effect.unknown' THEN
        UPDATE open_commands o SET in_doubt = true, leased = false, look_at = clock_timestamp() WHERE o.id = command AND o.started;
    ELSE
        DELETE FROM open_commands o WHERE o.id = command;
    END CASE;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% cannot follow what is in the log of command %, or it lacks its user''s lease', NEW.type, command
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'open_commands';
    END IF;
    RETURN NULL;
END $$;

-- claim_effect follows the log in the same way. What an effect has created
-- belongs to one command: an event that claims what another command has is
-- refused with an SQLSTATE of its own, EV010. An effect in doubt may have left
-- anything in the account's browser, so its state is of an older generation.
CREATE FUNCTION claim_effect() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    claimed text := created_by(NEW.data);
    owner   text := substr(NEW.stream_id, length('command/') + 1);
BEGIN
    IF NEW.type = 'effect.unknown' THEN
        INSERT INTO state_generations AS g (account, generation) VALUES (NEW.account, 1)
            ON CONFLICT (account) DO UPDATE SET generation = g.generation + 1;
    ELSIF claimed <> '' THEN
        INSERT INTO created_effects (created, command) VALUES (claimed, owner) ON CONFLICT DO NOTHING;
        IF NOT FOUND AND NOT EXISTS (SELECT FROM created_effects c WHERE c.created = claimed AND c.command = owner) THEN
            RAISE EXCEPTION 'what command % claims to have created belongs to another command', owner USING ERRCODE = 'EV010';
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER claim_effect AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'command/') AND NEW.type IN ('effect.confirmed', 'effect.reconciled', 'effect.found-late', 'effect.unknown'))
    EXECUTE FUNCTION claim_effect();

-- keep_user_sessions follows the log in the same way. A session that ends marks
-- the writes of its user that are open then: it was open beside them. Those that
-- are accepted later find in the application what was done in it.
CREATE FUNCTION keep_user_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    session text := substr(NEW.stream_id, length('session/') + 1);
    ended   user_sessions;
BEGIN
    IF NEW.type = 'session.opened' THEN
        INSERT INTO user_sessions (id, account, site_user) VALUES (session, NEW.account, user_of(NEW.data, NEW.account)) ON CONFLICT DO NOTHING;
        RETURN NULL;
    END IF;
    DELETE FROM user_sessions s WHERE s.id = session RETURNING * INTO ended;
    UPDATE open_commands o SET attended = true
        WHERE (o.site_user = ended.site_user OR o.account = ended.account) AND o.effect <> '' AND NOT o.attended;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_user_sessions AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'session/') AND NEW.type IN ('session.opened', 'session.closed'))
    EXECUTE FUNCTION keep_user_sessions();

-- lease_user gives the oldest open write of a user at a site the user's lease,
-- once no other holds it. One user can be linked several times, and one account
-- can have commands of before its user was known, so that both count: what
-- stands in the way is of the same user or of the same account. Granted is null for a
-- command that is not open, or in doubt: somebody else has gone on with it.
-- Doubted says that an effect of the same kind is in doubt; then nothing is
-- granted, and doubt names its command if it is of the same account: others are
-- of other callers. Generation is that of the account's browser state.
CREATE FUNCTION lease_user(command text, OUT granted boolean, OUT doubted boolean, OUT doubt text, OUT generation bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    mine open_commands;
BEGIN
    SELECT * INTO mine FROM open_commands o WHERE o.id = command AND NOT o.in_doubt;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Each statement sees what was committed before it: behind these locks, also
    -- what the last one to hold them granted.
    PERFORM pg_advisory_xact_lock('open_commands'::regclass::oid::integer, key)
        FROM (SELECT DISTINCT hashtext(name) AS key FROM unnest(ARRAY[mine.site_user, mine.account]) name ORDER BY key) keys;
    -- What stands in the way, in one statement: a command that falls into doubt
    -- gives its lease back at the same moment, and must not be missed in between.
    -- A cart in doubt keeps orders back, too: an order takes out of the cart what
    -- would tell whether the addition in doubt had happened.
    SELECT count(*) = 0, coalesce(bool_or(o.in_doubt), false), min(o.id) FILTER (WHERE o.in_doubt AND o.account = mine.account)
        INTO granted, doubted, doubt
        FROM open_commands o
        WHERE (o.site_user = mine.site_user OR o.account = mine.account) AND o.account <> '' AND o.effect <> '' AND o.id <> command
          AND CASE WHEN o.in_doubt THEN o.effect = mine.effect OR o.effect = 'cart' AND mine.effect = 'order'
                   ELSE o.leased OR o.started OR o.place < mine.place END;
    IF granted THEN
        UPDATE open_commands o SET leased = true WHERE o.id = command AND NOT o.in_doubt;
        IF NOT FOUND THEN
            granted := NULL;
        END IF;
    END IF;
    SELECT coalesce(max(g.generation), 0) INTO generation FROM state_generations g WHERE g.account = mine.account;
END $$;
DROP FUNCTION lease_account;

-- fill_from_log makes what follows the log anew from the log, but for the open
-- commands themselves: only which of them are attended.
CREATE FUNCTION fill_from_log() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM user_sessions;
    INSERT INTO user_sessions (id, account, site_user)
        SELECT substr(o.stream_id, length('session/') + 1), o.account, user_of(o.data, o.account) FROM events o
        WHERE o.type = 'session.opened' AND NOT EXISTS (SELECT FROM events c WHERE c.stream_id = o.stream_id AND c.type = 'session.closed');
    UPDATE open_commands o SET attended = true
        FROM events a, events begun, events ended
        WHERE o.effect <> '' AND a.stream_id = 'command/' || o.id AND a.version = 1
          AND begun.type = 'session.opened' AND (user_of(begun.data, begun.account) = o.site_user OR begun.account = o.account)
          AND ended.type = 'session.closed' AND ended.stream_id = begun.stream_id
          AND (ended.epoch, ended.xid, ended.place) > (a.epoch, a.xid, a.place);
    DELETE FROM state_generations;
    INSERT INTO state_generations (account, generation)
        SELECT u.account, count(*) FROM events u WHERE u.type = 'effect.unknown' GROUP BY u.account;
    DELETE FROM created_effects;
    INSERT INTO created_effects (created, command)
        SELECT created_by(c.data), min(substr(c.stream_id, length('command/') + 1)) FROM events c
        WHERE c.type IN ('effect.confirmed', 'effect.reconciled', 'effect.found-late') AND created_by(c.data) <> '' GROUP BY 1;
END $$;

REVOKE ALL ON FUNCTION user_of, created_by, command_may_begin_again, claim_effect, keep_user_sessions, lease_user, fill_from_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_user TO igw_service;
GRANT SELECT ON user_sessions, state_generations, created_effects TO igw_service, igw_keeper, igw_auditor;

SELECT fill_from_log();
