// Package postgres runs a PostgreSQL server from the programs that are installed on this machine.
//
// It serves the development stack, which keeps its data over restarts, and the tests, which throw theirs away:
//
//	server, err := postgres.Start(ctx, postgres.Options{Dir: ".run/postgres", Port: 5433})
//	…
//	defer server.Stop(ctx)
//
// PostgreSQL refuses to run as root. When root is the caller, the server runs as an ordinary user: the owner of an
// existing cluster, otherwise "postgres", otherwise "nobody". The server listens on 127.0.0.1 only, asks for a password, and
// ends with the process that started it, however that one ends.
package postgres
