-- As in the event log's migrations: the function below keeps this search_path.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- What people who look after the sites may open, of all secrets: the pictures
-- of pages on which a flow broke.
create view pictures as select account, name, sealed, updated_at from secrets where name like 'picture/%';
grant select on pictures to igw_keeper, igw_service, igw_accounts;

-- drop_old_pictures keeps the newest pictures of an account. Services may delete
-- no secret but this way.
create function drop_old_pictures(of_account text, keep integer) returns void
language sql security definer set search_path from current as $$
    delete from secrets s where s.account = of_account and s.name in (
        select p.name from pictures p where p.account = of_account order by p.updated_at desc, p.name desc offset greatest(keep, 1));
$$;
revoke all on function drop_old_pictures from public;
grant execute on function drop_old_pictures to igw_service;

---- create above / drop below ----

drop function drop_old_pictures;
drop view pictures;
