-- As in the event log's migrations: the functions below keep this search_path.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- lease_account is as it was but for one rule: a cart in doubt keeps orders
-- back, too. An order takes out of the cart what would tell whether the
-- addition in doubt had happened.
CREATE OR REPLACE FUNCTION lease_account(command text, OUT granted boolean, OUT doubt text)
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
          AND CASE WHEN o.in_doubt THEN o.effect = mine.effect OR o.effect = 'cart' AND mine.effect = 'order'
                   ELSE o.leased OR o.place < mine.place END;
    IF granted THEN
        UPDATE open_commands o SET leased = true WHERE o.id = command AND NOT o.in_doubt;
        IF NOT FOUND THEN
            granted := NULL;
        END IF;
    END IF;
END $$;
