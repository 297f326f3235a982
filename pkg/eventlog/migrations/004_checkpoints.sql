-- The function below keeps this search_path (FROM CURRENT). With pg_temp last,
-- a caller's temporary table cannot stand in for one of the log's.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The log's Merkle tree (RFC 6962): leaf n - 1 is the hash of the event with
-- seq n. Here are the roots of its complete subtrees, from those of 2^8 leaves
-- up; smaller ones take no longer to compute than to look up. Subtree index of
-- a level has the leaves from index * 2^level on.
CREATE TABLE log_node (
    level smallint NOT NULL,
    index bigint   NOT NULL,
    hash  bytea    NOT NULL,
    PRIMARY KEY (level, index)
);

-- The signed sizes and roots of the tree. The verifier is the public key that
-- opens the note; it stays with its checkpoints when the key is changed.
CREATE TABLE log_checkpoint (
    size      bigint           NOT NULL PRIMARY KEY,
    root      bytea            NOT NULL,
    verifier  text COLLATE "C" NOT NULL,
    note      bytea            NOT NULL,
    signed_at timestamptz      NOT NULL
);

CREATE TRIGGER log_node_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON log_node
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuse();
CREATE TRIGGER log_checkpoint_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON log_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuse();
-- Even in a session that has switched ordinary triggers off.
ALTER TABLE log_node ENABLE ALWAYS TRIGGER log_node_grow;
ALTER TABLE log_checkpoint ENABLE ALWAYS TRIGGER log_checkpoint_grow;

-- add_checkpoint adds a checkpoint of a size, and the complete subtrees that
-- the tree has gained since the last one, together.
--
-- SQLSTATE EV005: the last checkpoint is not that of the size previous.
-- SQLSTATE EV006: the size is not beyond the last one's or is beyond the log's
-- end, or the subtrees are not those that end between the two.
CREATE FUNCTION add_checkpoint(
    previous bigint, size bigint, root bytea, verifier text, note bytea, levels integer[], indexes bigint[], hashes bytea[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
    last   bigint;
    gained integer;
BEGIN
    LOCK TABLE log_checkpoint IN SHARE ROW EXCLUSIVE MODE; -- one at a time
    SELECT coalesce(max(c.size), 0) INTO last FROM log_checkpoint c;
    IF last IS DISTINCT FROM previous THEN
        RAISE EXCEPTION 'the last checkpoint has size %, not %', last, previous USING ERRCODE = 'EV005';
    END IF;
    IF (size > last AND size <= (SELECT seq FROM log_cursor)) IS NOT TRUE THEN
        RAISE EXCEPTION 'no checkpoint of size % can follow that of size % now', size, last USING ERRCODE = 'EV006';
    END IF;
    IF (octet_length(root) = 32) IS NOT TRUE THEN
        RAISE EXCEPTION 'the root of a checkpoint has % bytes, not 32', octet_length(root) USING ERRCODE = 'EV006';
    END IF;
    SELECT sum((size >> level) - (last >> level)) INTO gained FROM generate_series(8, 62) level;
    IF gained <> cardinality(levels) OR EXISTS (
        SELECT FROM unnest(levels, indexes, hashes) AS n (level, index, hash)
            WHERE (n.level BETWEEN 8 AND 62 AND octet_length(n.hash) = 32
                   AND n.index >= last >> n.level AND n.index < size >> n.level) IS NOT TRUE
    ) THEN
        RAISE EXCEPTION 'these are not the subtrees from size % to %', last, size USING ERRCODE = 'EV006';
    END IF;
    INSERT INTO log_node (level, index, hash) SELECT * FROM unnest(levels, indexes, hashes);
    INSERT INTO log_checkpoint (size, root, verifier, note, signed_at)
        VALUES (size, root, verifier, note, clock_timestamp());
END $$;

REVOKE ALL ON FUNCTION add_checkpoint FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_checkpoint TO igw_keeper;
GRANT SELECT ON log_node, log_checkpoint TO igw_service, igw_accounts, igw_keeper, igw_auditor;
