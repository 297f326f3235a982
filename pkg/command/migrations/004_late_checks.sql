-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- What an instance asks for every second: the commands of its integration that
-- were left behind, and those in doubt.
CREATE INDEX open_commands_of_integration ON open_commands (integration, in_doubt, place);

-- One row for each command whose effect the application did not show, which is
-- provisional: the application may be late, so that it is looked at again.
CREATE TABLE late_checks (
    command     text COLLATE "C" NOT NULL PRIMARY KEY,
    integration text COLLATE "C" NOT NULL,
    site_user   text COLLATE "C" NOT NULL, -- whose effect it is; see user_of
    effect      text COLLATE "C" NOT NULL, -- its kind
    content     text COLLATE "C" NOT NULL, -- fingerprint of the operation and its request; empty in old commands
    since       timestamptz      NOT NULL, -- when it was settled that the application shows none
    after       bigint[]         NOT NULL, -- milliseconds since then at which it is looked at again
    done        integer          NOT NULL DEFAULT 0, -- how many of these looks found out something
    tries       integer          NOT NULL DEFAULT 0, -- how often the next one was begun
    check_at    timestamptz      NOT NULL, -- when to begin it
    attended    boolean          NOT NULL -- a session of that user was open since the command was accepted, and has ended
);
CREATE INDEX late_checks_in_order   ON late_checks (integration, check_at);
CREATE INDEX late_checks_by_content ON late_checks (content);

-- begin_late_checks plans the looks that a verdict leaves to be made.
CREATE FUNCTION begin_late_checks(verdict events) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO late_checks (command, integration, site_user, effect, content, since, after, check_at, attended)
        SELECT substr(a.stream_id, length('command/') + 1), a.integration, user_of(a.data, a.account), coalesce(t.told ->> 'effect', ''),
               coalesce(t.told ->> 'content', ''), verdict.recorded_at, p.after, verdict.recorded_at + p.after[1] * interval '1 ms',
               coalesce((SELECT o.attended FROM open_commands o WHERE o.id = substr(a.stream_id, length('command/') + 1)), false)
        FROM ( -- the last attempt
            SELECT * FROM events e WHERE e.stream_id = verdict.stream_id AND e.type = 'command.accepted' ORDER BY e.version DESC LIMIT 1) a
        CROSS JOIN LATERAL (SELECT replace(convert_from(a.data, 'UTF8'), '\u0000', '\u0020')::json AS told) t
        CROSS JOIN LATERAL (
            SELECT array_agg(ms::bigint) AS after
            FROM json_array_elements_text(replace(convert_from(verdict.data, 'UTF8'), '\u0000', '\u0020')::json -> 'checksAfterMs') ms) p
        WHERE p.after IS NOT NULL;
$$;

-- keep_late_checks follows the log within the transaction of each append: the
-- verdict that there was no effect begins the looks, and its appearance ends them.
CREATE FUNCTION keep_late_checks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.type = 'effect.found-late' THEN
        DELETE FROM late_checks l WHERE l.command = substr(NEW.stream_id, length('command/') + 1);
    ELSE
        PERFORM begin_late_checks(NEW);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_late_checks AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'command/') AND NEW.type IN ('effect.reconciled', 'effect.found-late'))
    EXECUTE FUNCTION keep_late_checks();

-- attend_late_checks marks them when a session of their user ends: what they find
-- may have been done in it.
CREATE FUNCTION attend_late_checks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE late_checks l SET attended = true
        FROM events begun
        WHERE begun.stream_id = NEW.stream_id AND begun.type = 'session.opened'
          AND l.site_user IN (user_of(begun.data, begun.account), begun.account) AND NOT l.attended;
    RETURN NULL;
END $$;

CREATE TRIGGER attend_late_checks AFTER INSERT ON events FOR EACH ROW
    WHEN (starts_with(NEW.stream_id, 'session/') AND NEW.type = 'session.closed')
    EXECUTE FUNCTION attend_late_checks();

-- late_effect names the latest command of the same user and content whose effect
-- may still appear, since when it is settled that the application does not show
-- it, and when it is looked at for the last time. It is null when there is none.
CREATE FUNCTION late_effect(command text, content text, OUT earlier text, OUT since timestamptz, OUT until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.command, l.since, l.since + l.after[cardinality(l.after)] * interval '1 ms'
    FROM late_checks l JOIN open_commands mine USING (site_user)
    WHERE l.content = late_effect.content AND l.content <> '' AND l.command <> mine.id AND mine.id = late_effect.command
    ORDER BY l.since DESC LIMIT 1
$$;

REVOKE ALL ON FUNCTION begin_late_checks, keep_late_checks, attend_late_checks, late_effect FROM PUBLIC;
GRANT EXECUTE ON FUNCTION late_effect TO igw_service;
GRANT SELECT, UPDATE (done, tries, check_at), DELETE ON late_checks TO igw_service;
GRANT SELECT ON late_checks TO igw_keeper, igw_auditor;
