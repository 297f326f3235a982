-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- last_attempt returns the event that accepted the last attempt of a command.
CREATE FUNCTION last_attempt(of_command text) RETURNS events
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT e FROM events e WHERE e.stream_id = 'command/' || of_command AND e.type = 'command.accepted' ORDER BY e.version DESC LIMIT 1
$$;

ALTER TABLE late_checks
    ADD account text COLLATE "C", -- that the command is of
    ADD others  boolean NOT NULL DEFAULT false; -- another effect of the same user and kind came about since, or may have
UPDATE late_checks SET account = (last_attempt(command)).account;
ALTER TABLE late_checks ALTER account SET NOT NULL;
CREATE INDEX late_checks_of_user    ON late_checks (site_user);
CREATE INDEX late_checks_of_account ON late_checks (account);

-- begin_late_checks is as it was, but notes the account.
CREATE OR REPLACE FUNCTION begin_late_checks(verdict events) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO late_checks (command, integration, account, site_user, effect, content, since, after, check_at, attended)
        SELECT c.id, a.integration, a.account, user_of(a.data, a.account), coalesce(t.told ->> 'effect', ''),
               coalesce(t.told ->> 'content', ''), verdict.recorded_at, p.after, verdict.recorded_at + p.after[1] * interval '1 ms',
               coalesce((SELECT o.attended FROM open_commands o WHERE o.id = c.id), false)
        FROM (SELECT substr(verdict.stream_id, length('command/') + 1) AS id) c
        CROSS JOIN LATERAL last_attempt(c.id) a
        CROSS JOIN LATERAL (SELECT replace(convert_from(a.data, 'UTF8'), '\u0000', '\u0020')::json AS told) t
        CROSS JOIN LATERAL (
            SELECT array_agg(ms::bigint) AS after
            FROM json_array_elements_text(replace(convert_from(verdict.data, 'UTF8'), '\u0000', '\u0020')::json -> 'checksAfterMs') ms) p
        WHERE p.after IS NOT NULL;
$$;

-- keep_late_checks is as it was but for one rule: an effect that came about, or
-- may have, marks the looks for others of its user and kind. What they find may be
-- that one.
CREATE OR REPLACE FUNCTION keep_late_checks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    owner text := substr(NEW.stream_id, length('command/') + 1);
BEGIN
    IF NEW.type = 'effect.reconciled' THEN
        PERFORM begin_late_checks(NEW);
        RETURN NULL;
    END IF;
    UPDATE late_checks l SET others = true
        FROM (SELECT o.account, o.site_user, o.effect FROM open_commands o WHERE o.id = owner
              UNION ALL SELECT f.account, f.site_user, f.effect FROM late_checks f WHERE f.command = owner) mine
        WHERE (l.site_user = mine.site_user OR l.account = mine.account) AND l.effect = mine.effect
          AND l.command <> owner AND NOT l.others;
    IF NEW.type = 'effect.found-late' THEN
        DELETE FROM late_checks l WHERE l.command = owner;
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER keep_late_checks ON events;
CREATE TRIGGER keep_late_checks AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'command/') AND NEW.type IN ('effect.confirmed', 'effect.unknown', 'effect.reconciled', 'effect.found-late'))
    EXECUTE FUNCTION keep_late_checks();

-- late_effect is as it was, but says whether the command that it names is of the
-- same account: other accounts of the user are of other callers.
DROP FUNCTION late_effect;
CREATE FUNCTION late_effect(command text, content text, OUT earlier text, OUT own boolean, OUT since timestamptz, OUT until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.command, l.account = mine.account, l.since, l.since + l.after[cardinality(l.after)] * interval '1 ms'
    FROM late_checks l JOIN open_commands mine USING (site_user)
    WHERE l.content = late_effect.content AND l.content <> '' AND l.command <> mine.id AND mine.id = late_effect.command
    ORDER BY l.since DESC LIMIT 1
$$;

-- lease_user is as it was but for one rule: who asks tells the version at which
-- its attempt was accepted. An attempt that others have ended gets nothing,
-- though the command's next one may be open by now.
DROP FUNCTION lease_user;
CREATE FUNCTION lease_user(command text, accepted bigint, OUT granted boolean, OUT doubted boolean, OUT doubt text, OUT generation bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    mine open_commands;
BEGIN
    SELECT * INTO mine FROM open_commands o WHERE o.id = command AND NOT o.in_doubt
        AND NOT EXISTS (SELECT FROM events e WHERE e.stream_id = 'command/' || lease_user.command AND e.version > accepted);
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
        UPDATE open_commands o SET leased = true WHERE o.id = command AND o.place = mine.place AND NOT o.in_doubt; -- each attempt has a place of its own
        IF NOT FOUND THEN
            granted := NULL;
        END IF;
    END IF;
    SELECT coalesce(max(g.generation), 0) INTO generation FROM state_generations g WHERE g.account = mine.account;
END $$;

-- attended_since says, by the log, whether a session of a user or of an account
-- has ended since the last attempt of a command was accepted.
CREATE FUNCTION attended_since(of_command text, of_user text, of_account text) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT EXISTS (
        SELECT FROM last_attempt(of_command) a, events begun JOIN events ended USING (stream_id)
        WHERE begun.type = 'session.opened' AND (user_of(begun.data, begun.account) = of_user OR begun.account IN (of_account, of_user))
          AND ended.type = 'session.closed' AND (ended.epoch, ended.xid, ended.place) > (a.epoch, a.xid, a.place))
$$;

-- fill_from_log is as it was, but takes the last attempt for the one that a
-- session was open beside.
CREATE OR REPLACE FUNCTION fill_from_log() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM user_sessions;
    INSERT INTO user_sessions (id, account, site_user)
        SELECT substr(o.stream_id, length('session/') + 1), o.account, user_of(o.data, o.account) FROM events o
        WHERE o.type = 'session.opened' AND NOT EXISTS (SELECT FROM events c WHERE c.stream_id = o.stream_id AND c.type = 'session.closed');
    UPDATE open_commands o SET attended = true WHERE o.effect <> '' AND NOT o.attended AND attended_since(o.id, o.site_user, o.account);
    DELETE FROM state_generations;
    INSERT INTO state_generations (account, generation)
        SELECT u.account, count(*) FROM events u WHERE u.type = 'effect.unknown' GROUP BY u.account;
    DELETE FROM created_effects;
    INSERT INTO created_effects (created, command)
        SELECT created_by(c.data), min(substr(c.stream_id, length('command/') + 1)) FROM events c
        WHERE c.type IN ('effect.confirmed', 'effect.reconciled', 'effect.found-late') AND created_by(c.data) <> '' GROUP BY 1;
END $$;

-- rebuild_open_commands is as it was but for the rules above.
CREATE OR REPLACE FUNCTION rebuild_open_commands(commands text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    DELETE FROM open_commands WHERE id = ANY(commands);
    INSERT INTO open_commands (id, integration, account, site_user, instance, effect, started, in_doubt)
        SELECT c.id, a.integration, a.account, user_of(a.data, a.account), coalesce(t.told ->> 'instance', ''), coalesce(t.told ->> 'effect', ''),
               EXISTS (SELECT FROM events s WHERE s.stream_id = a.stream_id AND s.version > a.version AND s.type = 'effect.started'),
               EXISTS (SELECT FROM events u WHERE u.stream_id = a.stream_id AND u.version > a.version AND u.type = 'effect.unknown')
                   AND NOT EXISTS (SELECT FROM events r WHERE r.stream_id = a.stream_id AND r.version > a.version AND r.type = 'effect.reconciled')
        FROM (SELECT DISTINCT unnest(commands) AS id) c
        JOIN LATERAL last_attempt(c.id) a ON a.id IS NOT NULL
        CROSS JOIN LATERAL (SELECT replace(convert_from(a.data, 'UTF8'), '\u0000', '\u0020')::json AS told) t
        WHERE NOT EXISTS (
            SELECT FROM events e
            WHERE e.stream_id = a.stream_id AND e.version > a.version AND e.type IN ('command.completed', 'command.rejected'));
    SELECT fill_from_log();
    DELETE FROM late_checks WHERE command = ANY(commands);
    SELECT begin_late_checks(v) FROM (SELECT DISTINCT unnest(commands) AS id) c
        JOIN events v ON v.stream_id = 'command/' || c.id AND v.type = 'effect.reconciled'
        WHERE NOT EXISTS (SELECT FROM events l WHERE l.stream_id = v.stream_id AND l.type = 'effect.found-late');
    UPDATE late_checks l SET attended = true WHERE NOT l.attended AND attended_since(l.command, l.site_user, l.account);
    -- What others have done since is not looked up: it counts as something.
    UPDATE late_checks l SET others = true FROM (SELECT DISTINCT unnest(commands) AS id) c CROSS JOIN LATERAL last_attempt(c.id) a
        WHERE l.command = c.id OR l.site_user = user_of(a.data, a.account) OR l.account = a.account;
$$;

REVOKE ALL ON FUNCTION last_attempt, attended_since, late_effect, lease_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION late_effect, lease_user TO igw_service;
