-- Ids are UUIDs of version 7: their order as text is the order of creation.
create table callers (
    id         text collate "C" primary key,
    name       text        not null,
    created_at timestamptz not null default now()
);

create table access_tokens (
    id         text collate "C" primary key,
    caller     text collate "C" not null references callers,
    hash       bytea       not null unique check (length(hash) = 32),
    label      text        not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
);
create index access_tokens_of_caller on access_tokens (caller, id);

-- recorded says how far the event log tells the account's story; see link.go.
create table accounts (
    id          text collate "C" primary key,
    caller      text collate "C" not null references callers,
    integration text        not null,
    site        text        not null,
    label       text        not null,
    token_hash  bytea       unique check (length(token_hash) = 32),
    linked_at   timestamptz not null default now(),
    unlinked_at timestamptz,
    erased_at   timestamptz,
    recorded    text        not null default 'nothing' check (recorded in ('nothing', 'linked', 'unlinked', 'erased')),
    check (unlinked_at is null or token_hash is null),
    check (erased_at is null or unlinked_at is not null and label = '')
);
create index accounts_of_caller on accounts (caller, integration, id) where unlinked_at is null;
create index accounts_unsettled on accounts (linked_at) where recorded <> 'linked' or unlinked_at is not null;

-- Nobody else sees these tables. Rows stay for ever, and only what changes in
-- an entry's life can be changed.
grant select, insert (id, name) on callers to igw_accounts;
grant select, insert (id, caller, hash, label), update (revoked_at) on access_tokens to igw_accounts;
grant select, insert (id, caller, integration, site, label, token_hash), update (label, token_hash, unlinked_at, erased_at, recorded) on accounts to igw_accounts;

---- create above / drop below ----

drop table accounts;
drop table access_tokens;
drop table callers;
