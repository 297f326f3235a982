module integration.gateway/contracts

go 1.26

require (
	github.com/danielgtaylor/huma/v2 v2.37.2 // indirect
	github.com/getkin/kin-openapi v0.152.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
)
