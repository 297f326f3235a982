-- One key an account. A closed account takes no more secrets; an erased one
-- keeps its row, without a key.
create table account_keys (
    account    text        primary key check (account <> ''),
    wrapped    bytea,
    created_at timestamptz not null default now(),
    closed_at  timestamptz,
    erased_at  timestamptz,
    check ((wrapped is null) = (erased_at is not null))
);

create table secrets (
    account    text        not null references account_keys,
    name       text        not null check (name <> ''),
    sealed     bytea       not null,
    updated_at timestamptz not null default now(),
    primary key (account, name)
);

-- Nobody but igw_accounts closes and erases accounts. UPDATE of one column is
-- what Postgres asks of those who lock a row FOR SHARE, as Put does.
grant select, insert (account, wrapped), update (created_at) on account_keys to igw_service;
grant select, insert (account, wrapped, erased_at), update (wrapped, closed_at, erased_at) on account_keys to igw_accounts;
grant select on account_keys to igw_keeper; -- opens sealed fields
grant select, insert (account, name, sealed), update (sealed, updated_at) on secrets to igw_service, igw_accounts;
grant delete on secrets to igw_accounts;

---- create above / drop below ----

drop table secrets;
drop table account_keys;
