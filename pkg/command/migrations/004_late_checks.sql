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
    check_at    timestamptz      NOT NULL -- when to begin it
);
CREATE INDEX late_checks_in_order   ON late_checks (integration, check_at);
CREATE INDEX late_checks_by_content ON late_checks (content);

-- begin_late_checks plans the looks that a verdict leaves to be made.
CREATE FUNCTION begin_late_checks(verdict events) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO late_checks (command, integration, site_user, effect, content, since, after, check_at)
        SELECT substr(a.stream_id, length('command/') + 1), a.integration, user_of(a.data, a.account), coalesce(t.told ->> 'effect', ''),
               coalesce(t.told ->> 'content', ''), verdict.recorded_at, p.after, verdict.recorded_at + p.after[1] * interval '1 ms'
        FROM events a
        CROSS JOIN LATERAL (SELECT replace(convert_from(a.data, 'UTF8'), '\u0000', '\u0020')::json AS told) t
        CROSS JOIN LATERAL (
            SELECT array_agg(ms::bigint) AS after
            FROM json_array_elements_text(replace(convert_from(verdict.data, 'UTF8'), '\u0000', '\u0020')::json -> 'checksAfterMs') ms) p
        WHERE a.stream_id = verdict.stream_id AND a.version = 1 AND p.after IS NOT NULL;
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

-- late_effect names the latest command of the same user and content whose effect
-- may still appear, since when it is settled that the application does not show
-- it, and when it is looked at for the last time. It is null when there is none.
CREATE FUNCTION late_effect(command text, content text, OUT earlier text, OUT since timestamptz, OUT until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT l.command, l.since, l.since + l.after[cardinality(l.after)] * interval '1 ms'
    FROM late_checks l, events mine
    WHERE l.content = late_effect.content AND l.content <> '' AND l.command <> late_effect.command
      AND mine.stream_id = 'command/' || late_effect.command AND mine.version = 1 AND l.site_user = user_of(mine.data, mine.account) AND l.site_user <> ''
    ORDER BY l.since DESC LIMIT 1
$$;

REVOKE ALL ON FUNCTION begin_late_checks, keep_late_checks, late_effect FROM PUBLIC;
GRANT EXECUTE ON FUNCTION late_effect TO igw_service;
GRANT SELECT, UPDATE (done, tries, check_at), DELETE ON late_checks TO igw_service;
GRANT SELECT ON late_checks TO igw_keeper, igw_auditor;

---- create above / drop below ----

DROP TRIGGER keep_late_checks ON events;
DROP FUNCTION keep_late_checks, begin_late_checks, late_effect;
DROP TABLE late_checks;
DROP INDEX open_commands_of_integration;
