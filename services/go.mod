module integration.gateway/services

go 1.26.0

require integration.gateway/contracts v0.0.0

replace integration.gateway/contracts => ../contracts

require integration.gateway/pkg v0.0.0

require (
	github.com/caarlos0/env/v11 v11.4.2 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/pgx/v5 v5.12.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace integration.gateway/pkg => ../pkg
