-- What the log's events add up to, kept by package readmodel. All of it can be
-- rebuilt from the log: a migration that changes what rows say deletes them
-- and sets the cursor back to 0, and the projector fills them again.
CREATE TABLE read_commands (
    id            text COLLATE "C" NOT NULL PRIMARY KEY, -- a UUID; some are hashes, so that their order means nothing
    integration   text COLLATE "C" NOT NULL,
    operation     text COLLATE "C" NOT NULL,
    caller        text COLLATE "C" NOT NULL,
    account       text COLLATE "C" NOT NULL,
    site          text COLLATE "C" NOT NULL,
    site_hash     text COLLATE "C" NOT NULL,
    state         text COLLATE "C" NOT NULL,
    effect        text COLLATE "C" NOT NULL,
    effect_state  text COLLATE "C" NOT NULL,
    reconciled_by text COLLATE "C" NOT NULL,
    failure_kind  text COLLATE "C" NOT NULL,
    failure       text COLLATE "C" NOT NULL,
    accepted_at   timestamptz      NOT NULL,
    ended_at      timestamptz,
    events        bigint           NOT NULL,
    first_seq     bigint           NOT NULL, -- the order of commands
    last_seq      bigint           NOT NULL,
    problem       text COLLATE "C" NOT NULL
);
CREATE INDEX read_commands_in_order     ON read_commands (first_seq);
CREATE INDEX read_commands_by_operation ON read_commands (integration, operation, first_seq);
CREATE INDEX read_commands_by_caller    ON read_commands (caller, first_seq);
CREATE INDEX read_commands_by_account   ON read_commands (account, first_seq);
CREATE INDEX read_commands_by_state     ON read_commands (state, first_seq);
CREATE INDEX read_commands_by_time      ON read_commands (accepted_at);

CREATE TABLE read_sessions (
    id          text COLLATE "C" NOT NULL PRIMARY KEY,
    integration text COLLATE "C" NOT NULL,
    command     text COLLATE "C" NOT NULL,
    caller      text COLLATE "C" NOT NULL,
    account     text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    opened_at   timestamptz      NOT NULL,
    expires     timestamptz,
    attached    bigint           NOT NULL,
    attached_at timestamptz,
    closed_at   timestamptz,
    reason      text COLLATE "C" NOT NULL,
    events      bigint           NOT NULL,
    first_seq   bigint           NOT NULL,
    last_seq    bigint           NOT NULL,
    problem     text COLLATE "C" NOT NULL
);

CREATE TABLE read_accounts (
    id           text COLLATE "C" NOT NULL PRIMARY KEY,
    integration  text COLLATE "C" NOT NULL,
    caller       text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL,
    site         text COLLATE "C" NOT NULL,
    message      text COLLATE "C" NOT NULL,
    linked_at    timestamptz      NOT NULL,
    signed_in_at timestamptz,
    unlinked_at  timestamptz,
    erased_at    timestamptz,
    events       bigint           NOT NULL,
    first_seq    bigint           NOT NULL,
    last_seq     bigint           NOT NULL,
    problem      text COLLATE "C" NOT NULL
);

-- The seq of the last event that the rows count in.
CREATE TABLE read_cursor (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    seq    bigint  NOT NULL
);
INSERT INTO read_cursor (seq) VALUES (0);

GRANT SELECT, INSERT, UPDATE ON read_commands, read_sessions, read_accounts TO igw_keeper;
GRANT SELECT, UPDATE ON read_cursor TO igw_keeper;
GRANT SELECT ON read_commands, read_sessions, read_accounts, read_cursor TO igw_auditor;
