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

---- create above / drop below ----

drop table secrets;
drop table account_keys;
