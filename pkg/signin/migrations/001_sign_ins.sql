-- Whose turn it is to sign a user in. One whose time is over, or whose instance
-- (see pkg/command) is dead, keeps nobody waiting.
CREATE TABLE sign_in_turns (
    who      text COLLATE "C" NOT NULL PRIMARY KEY, -- fingerprint of a user at a site
    holder   text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    expires  timestamptz      NOT NULL
);

-- Passwords that an application has refused.
CREATE TABLE refused_passwords (
    credentials text COLLATE "C" NOT NULL PRIMARY KEY, -- fingerprint of user and password
    refused_at  timestamptz      NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX refused_passwords_by_time ON refused_passwords (refused_at);

-- Accounts whose refused password a person wants tried once more.
CREATE TABLE sign_in_retries (
    account  text COLLATE "C" NOT NULL PRIMARY KEY,
    asked_at timestamptz      NOT NULL DEFAULT now()
);

-- The one-time codes of the last minutes that are typed, or about to be.
CREATE TABLE typed_codes (
    secret text COLLATE "C" NOT NULL, -- fingerprint
    step   bigint           NOT NULL, -- of 30 seconds, since 1970, by this database's clock
    PRIMARY KEY (secret, step)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_turns, refused_passwords, typed_codes TO igw_service;
GRANT SELECT, DELETE ON sign_in_retries TO igw_service;
GRANT SELECT, INSERT ON sign_in_retries TO igw_accounts;

---- create above / drop below ----

DROP TABLE sign_in_turns, refused_passwords, sign_in_retries, typed_codes;
