package accounts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

// CreateCaller registers a caller. Names need not be unique; ids tell.
func (s *Service) CreateCaller(ctx context.Context, req *accounts.CreateCallerRequest) (*accounts.Caller, error) {
	if err := checkText("name", req.Body.Name); err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, `insert into callers (id, name) values ($1, $2) returning id, name, created_at`, newID(), req.Body.Name)
	if err != nil {
		return nil, fmt.Errorf("create a caller: %w", err)
	}
	caller, err := pgx.CollectExactlyOneRow(rows, scanCaller)
	if err != nil {
		return nil, fmt.Errorf("create a caller: %w", err)
	}
	s.logger.InfoContext(ctx, "caller created", "caller", caller.CallerID)
	return &caller, nil
}

// ListCallers lists all callers.
func (s *Service) ListCallers(ctx context.Context, req *accounts.ListCallersRequest) (*accounts.Callers, error) {
	callers, next, err := list(ctx, s.pool, req.Page, scanCaller,
		func(c accounts.Caller) string { return c.CallerID },
		`select id, name, created_at from callers where id > $1 order by id limit $2`)
	if err != nil {
		return nil, err
	}
	return &accounts.Callers{Callers: callers, Next: next}, nil
}

func scanCaller(row pgx.CollectableRow) (accounts.Caller, error) {
	var c accounts.Caller
	err := row.Scan(&c.CallerID, &c.Name, &c.CreatedAt)
	c.CreatedAt = c.CreatedAt.UTC()
	return c, err
}

// callerExists returns an error of the given kind unless there is such a caller.
func (s *Service) callerExists(ctx context.Context, id string, otherwise contracts.Kind) error {
	exists := false
	if isID(id) {
		if err := s.pool.QueryRow(ctx, `select exists (select from callers where id = $1)`, id).Scan(&exists); err != nil {
			return fmt.Errorf("look for caller %s: %w", id, err)
		}
	}
	if !exists {
		return contracts.Errorf(otherwise, "there is no such caller")
	}
	return nil
}
