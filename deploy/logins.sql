-- Makes the logins of compose.yaml, each a member of the role that its processes have, and gives them their passwords.
\getenv service SERVICE_PASSWORD
\getenv accounts ACCOUNTS_PASSWORD
\getenv keeper KEEPER_PASSWORD
\getenv auditor AUDITOR_PASSWORD

SELECT format('CREATE ROLE %I LOGIN IN ROLE %I', login, role)
FROM (VALUES
  ('gateway_service', 'igw_service'),
  ('gateway_accounts', 'igw_accounts'),
  ('gateway_keeper', 'igw_keeper'),
  ('gateway_auditor', 'igw_auditor')
) AS wanted (login, role)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login) \gexec

ALTER ROLE gateway_service PASSWORD :'service';
ALTER ROLE gateway_accounts PASSWORD :'accounts';
ALTER ROLE gateway_keeper PASSWORD :'keeper';
ALTER ROLE gateway_auditor PASSWORD :'auditor';

-- A transaction that has written and stays open holds the order of the log back.
ALTER ROLE gateway_service SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE gateway_accounts SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE gateway_keeper SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE gateway_auditor SET idle_in_transaction_session_timeout = '1min';
