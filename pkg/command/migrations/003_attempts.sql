-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- keep_open_commands is as it was but for one rule: a command begins once more
-- when its last end says so, and no attempt before may have had an effect.
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
        INSERT INTO open_commands (id, integration, account, instance, effect)
            SELECT command, NEW.integration, NEW.account, coalesce(told ->> 'instance', ''), coalesce(told ->> 'effect', '')
            WHERE NEW.version = 1 OR command_may_begin_again(NEW.stream_id, NEW.version);
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

-- command_may_begin_again says whether the event before a version is an end that
-- another attempt may follow, and each effect before it was started in vain.
CREATE OR REPLACE FUNCTION command_may_begin_again(stream text, at_version bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT (SELECT CASE WHEN e.type IN ('command.completed', 'command.rejected')
                        THEN coalesce(replace(convert_from(e.data, 'UTF8'), '\u0000', '\u0020')::json ->> 'repeatable', '') = 'true' END
            FROM events e WHERE e.stream_id = stream AND e.version = at_version - 1)
       AND (SELECT count(*) FILTER (WHERE e.type = 'effect.started') = count(*) FILTER (WHERE e.type = 'effect.not-applied')
               AND count(*) FILTER (WHERE e.type IN ('effect.confirmed', 'effect.unknown', 'effect.reconciled')) = 0
            FROM events e WHERE e.stream_id = stream AND e.version < at_version)
$$;
REVOKE ALL ON FUNCTION command_may_begin_again FROM PUBLIC;
