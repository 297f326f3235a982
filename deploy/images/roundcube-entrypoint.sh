#!/bin/sh
# Starts a mail server for the users that MAIL_USERS names, and Roundcube on port 8000. Nothing outlives the container.
set -eu

: "${MAIL_USERS:?must name the users, as in \"jane:secret ann:other\"}"

install -d -o mail -g mail -m 0700 /srv/mail
for user in $MAIL_USERS; do
  echo "${user%%:*}:{PLAIN}${user#*:}::::::"
done >/etc/dovecot/users
cat >/etc/dovecot/dovecot.conf <<'CONF'
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
log_path = /dev/stderr
mail_location = maildir:/srv/mail/%u
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = create
  }
  mailbox Drafts {
    auto = create
  }
  mailbox Trash {
    auto = create
  }
}
passdb {
  driver = passwd-file
  args = /etc/dovecot/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=/srv/mail/%u
}
first_valid_uid = 1
CONF

install -d -o www-data -g www-data /var/lib/roundcube/db /var/log/roundcube
sqlite3 /var/lib/roundcube/db/roundcube.db </usr/share/roundcube/SQL/sqlite.initial.sql
chown www-data:www-data /var/lib/roundcube/db/roundcube.db
cat >/etc/roundcube/config.inc.php <<'CONF'
<?php
$config = [];
$config['db_dsnw'] = 'sqlite:////var/lib/roundcube/db/roundcube.db?mode=0640';
$config['imap_host'] = 'localhost:143';
$config['smtp_host'] = '';
$config['des_key'] = 'a key for a while 24chr.';
$config['skin'] = 'elastic';
$config['plugins'] = [];
CONF

dovecot
cd /var/lib/roundcube
exec setpriv --reuid www-data --regid www-data --clear-groups \
  env PHP_CLI_SERVER_WORKERS=4 php -S 0.0.0.0:8000 -t /var/lib/roundcube
