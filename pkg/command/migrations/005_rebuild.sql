-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- rebuild_open_commands brings what follows the log up to date with events of
-- commands that were restored to it, for which the triggers did not run. No
-- restored command holds its user's lease: its instance has lost it, or cannot
-- know that it has not.
CREATE FUNCTION rebuild_open_commands(commands text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    DELETE FROM open_commands WHERE id = ANY(commands);
    INSERT INTO open_commands (id, integration, account, site_user, instance, effect, started, in_doubt)
        SELECT c.id, a.integration, a.account, user_of(a.data, a.account), coalesce(t.told ->> 'instance', ''), coalesce(t.told ->> 'effect', ''),
               EXISTS (SELECT FROM events s WHERE s.stream_id = a.stream_id AND s.version > a.version AND s.type = 'effect.started'),
               EXISTS (SELECT FROM events u WHERE u.stream_id = a.stream_id AND u.version > a.version AND u.type = 'effect.unknown')
                   AND NOT EXISTS (SELECT FROM events r WHERE r.stream_id = a.stream_id AND r.version > a.version AND r.type = 'effect.reconciled')
        FROM (SELECT DISTINCT unnest(commands) AS id) c
        CROSS JOIN LATERAL ( -- the last attempt
            SELECT e.* FROM events e WHERE e.stream_id = 'command/' || c.id AND e.type = 'command.accepted' ORDER BY e.version DESC LIMIT 1) a
        CROSS JOIN LATERAL (SELECT replace(convert_from(a.data, 'UTF8'), '\u0000', '\u0020')::json AS told) t
        WHERE NOT EXISTS (
            SELECT FROM events e
            WHERE e.stream_id = a.stream_id AND e.version > a.version AND e.type IN ('command.completed', 'command.rejected'));
    SELECT fill_from_log();
    DELETE FROM late_checks WHERE command = ANY(commands);
    SELECT begin_late_checks(v) FROM (SELECT DISTINCT unnest(commands) AS id) c
        JOIN events v ON v.stream_id = 'command/' || c.id AND v.type = 'effect.reconciled'
        WHERE NOT EXISTS (SELECT FROM events l WHERE l.stream_id = v.stream_id AND l.type = 'effect.found-late');
    UPDATE late_checks l SET attended = true
        FROM events a, events begun, events ended
        WHERE a.stream_id = 'command/' || l.command AND a.version = 1
          AND begun.type = 'session.opened' AND l.site_user IN (user_of(begun.data, begun.account), begun.account)
          AND ended.type = 'session.closed' AND ended.stream_id = begun.stream_id
          AND (ended.epoch, ended.xid, ended.place) > (a.epoch, a.xid, a.place);
$$;

REVOKE ALL ON FUNCTION rebuild_open_commands FROM PUBLIC;
