-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- What the flows of the whole fleet have found on the pages: a row for each set
-- of alternatives that a step looked for, and for each required field that was
-- missing once. Nothing of it is personal: all texts are the flow's own.
CREATE TABLE site_looks (
    integration text COLLATE "C" NOT NULL,
    site        text COLLATE "C" NOT NULL,
    hash        text COLLATE "C" NOT NULL, -- version of the site's folder
    flow        text COLLATE "C" NOT NULL, -- file
    step        text COLLATE "C" NOT NULL, -- number
    what        text COLLATE "C" NOT NULL CHECK (what IN ('first-choice', 'required-field')),
    sought      text COLLATE "C" NOT NULL, -- the first alternative; the field's name
    name        text             NOT NULL, -- what the step does
    won         bigint[]         NOT NULL, -- how often each alternative won; of a field: how often it was there since, and was not
    first_at    timestamptz      NOT NULL,
    last_at     timestamptz      NOT NULL,
    won_at      timestamptz, -- when the first choice won last
    lost_at     timestamptz, -- when another one did
    winner      integer,     -- that one, from 0
    selector    text,        -- as the flow has it
    drifted_at  timestamptz, -- when the first choice started losing last
    operation   text,        -- that found it out; empty while signing in
    command     text,
    told_at     timestamptz, -- the drifted_at that the event log has been told of
    PRIMARY KEY (integration, site, hash, flow, step, what, sought)
);

-- count_site_looks adds counts, and returns what the event log has yet to be
-- told of these integrations.
--
-- The rule of when a first choice starts losing: it loses, and had won since it
-- lost the time before, and that was a day ago or longer; or it never lost in
-- this version of the site. So a change of the pages shows at its first loss,
-- and pages that come in two variants are recorded once, not at every flap. A
-- required field that is missing is a loss; one that is there again, a win.
CREATE FUNCTION count_site_looks(integrations text[], looks json) RETURNS SETOF site_looks
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    now    timestamptz := clock_timestamp();
    quiet  interval := '1 day';
    newest integer := 5; -- versions of a site that are kept
    l      record;
    was    site_looks;
    wins   boolean;
    loses  boolean;
    starts boolean;
    added  boolean := false;
BEGIN
    -- In the order of keys, so that two callers never wait for each other.
    FOR l IN
        SELECT * FROM json_to_recordset(looks) AS x (integration text, site text, hash text, flow text, step text, what text,
            sought text, name text, won bigint[], winner integer, selector text, operation text, command text)
        ORDER BY x.integration COLLATE "C", x.site COLLATE "C", x.hash COLLATE "C", x.flow COLLATE "C", x.step COLLATE "C", x.what COLLATE "C", x.sought COLLATE "C"
    LOOP
        IF l.what = 'passed' THEN -- a step that needs fields was played: all of them were there
            UPDATE site_looks s SET won[1] = s.won[1] + l.won[1], won_at = now, last_at = now
                WHERE (s.integration, s.site, s.hash, s.flow, s.step, s.what) = (l.integration, l.site, l.hash, l.flow, l.step, 'required-field');
            CONTINUE;
        END IF;
        INSERT INTO site_looks (integration, site, hash, flow, step, what, sought, name, won, first_at, last_at)
            VALUES (l.integration, l.site, l.hash, l.flow, l.step, l.what, l.sought, l.name, array_fill(0, ARRAY[cardinality(l.won)]), now, now)
            ON CONFLICT DO NOTHING;
        added := added OR FOUND;
        SELECT * INTO was FROM site_looks s
            WHERE (s.integration, s.site, s.hash, s.flow, s.step, s.what, s.sought) = (l.integration, l.site, l.hash, l.flow, l.step, l.what, l.sought)
            FOR UPDATE;
        wins := l.won[1] > 0;
        loses := l.winner IS NOT NULL;
        starts := loses AND (was.lost_at IS NULL
            OR was.lost_at < now - quiet AND (wins OR coalesce(was.won_at > was.lost_at, false)));
        UPDATE site_looks s SET
            name = l.name, last_at = now,
            won = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0) FROM unnest(s.won, l.won) WITH ORDINALITY AS n (a, b, i) ORDER BY i),
            won_at = CASE WHEN wins THEN now ELSE s.won_at END,
            lost_at = CASE WHEN loses THEN now ELSE s.lost_at END,
            winner = CASE WHEN loses THEN l.winner ELSE s.winner END,
            selector = CASE WHEN loses THEN l.selector ELSE s.selector END,
            drifted_at = CASE WHEN starts THEN now ELSE s.drifted_at END,
            operation = CASE WHEN starts THEN l.operation ELSE s.operation END,
            command = CASE WHEN starts THEN l.command ELSE s.command END
            WHERE (s.integration, s.site, s.hash, s.flow, s.step, s.what, s.sought) = (l.integration, l.site, l.hash, l.flow, l.step, l.what, l.sought);
    END LOOP;
    IF added THEN
        DELETE FROM site_looks s USING (
            SELECT v.integration, v.site, v.hash, row_number() OVER (PARTITION BY v.integration, v.site ORDER BY max(v.last_at) DESC) AS age
            FROM site_looks v WHERE v.integration = ANY (integrations) GROUP BY v.integration, v.site, v.hash) AS old
            WHERE (s.integration, s.site, s.hash) = (old.integration, old.site, old.hash) AND old.age > newest;
    END IF;
    RETURN QUERY SELECT * FROM site_looks s
        WHERE s.integration = ANY (integrations) AND s.drifted_at IS NOT NULL AND s.told_at IS DISTINCT FROM s.drifted_at
        ORDER BY s.drifted_at LIMIT 100;
END $$;

-- tell_site_drift notes that the event log has been told of a drift.
CREATE FUNCTION tell_site_drift(
    of_integration text, of_site text, of_hash text, of_flow text, of_step text, of_what text, of_sought text, at timestamptz
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE site_looks SET told_at = at
        WHERE (integration, site, hash, flow, step, what, sought) = (of_integration, of_site, of_hash, of_flow, of_step, of_what, of_sought);
$$;

REVOKE ALL ON FUNCTION count_site_looks, tell_site_drift FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_site_looks, tell_site_drift TO igw_service;
GRANT SELECT ON site_looks TO igw_keeper, igw_auditor;

---- create above / drop below ----

DROP FUNCTION count_site_looks, tell_site_drift;
DROP TABLE site_looks;
