package accounts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

// The number of entries in a part of a list.
const (
	defaultLimit = 100
	maxLimit     = 500
)

// list returns the part of a list that page asks for, and where the next part
// begins. The query takes the last id before the part as $1 and the number of
// rows as $2, and its other arguments from $3 on.
func list[T any](ctx context.Context, pool *pgxpool.Pool, page accounts.Page, scan pgx.RowToFunc[T], id func(T) string, query string, args ...any) (part []T, next string, err error) {
	if page.After != "" && !isID(page.After) {
		return nil, "", contracts.Errorf(contracts.Invalid, "query.after is not the id of an entry")
	}
	limit := page.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > maxLimit {
		return nil, "", contracts.Errorf(contracts.Invalid, "query.limit must be between 1 and %d", maxLimit)
	}
	// One more row than wanted tells whether there is a next part.
	rows, err := pool.Query(ctx, query, append([]any{page.After, limit + 1}, args...)...)
	if err != nil {
		return nil, "", fmt.Errorf("list: %w", err)
	}
	part, err = pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, "", fmt.Errorf("list: %w", err)
	}
	if len(part) > limit {
		part = part[:limit]
		next = id(part[limit-1])
	}
	return part, next, nil
}
