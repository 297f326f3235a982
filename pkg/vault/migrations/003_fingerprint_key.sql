-- The installation's key for fingerprints, wrapped as the accounts' keys are.
create table fingerprint_key (
    single  boolean primary key default true check (single),
    wrapped bytea   not null
);
grant select, insert on fingerprint_key to igw_service, igw_accounts;

---- create above / drop below ----

drop table fingerprint_key;
