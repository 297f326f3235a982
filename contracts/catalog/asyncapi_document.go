package catalog

import "github.com/danielgtaylor/huma/v2"

// The parts of an AsyncAPI 3.0 document that this one has, in the order in
// which it is read. Schemas are huma's, as in the OpenAPI document.

type asyncDocument struct {
	AsyncAPI           string                     `json:"asyncapi"`
	Info               asyncInfo                  `json:"info"`
	DefaultContentType string                     `json:"defaultContentType"`
	Servers            map[string]asyncServer     `json:"servers"`
	Channels           map[string]*asyncChannel   `json:"channels"`
	Operations         map[string]*asyncOperation `json:"operations"`
	Components         asyncComponents            `json:"components"`
}

type asyncInfo struct {
	Title       string     `json:"title"`
	Version     string     `json:"version"`
	Description string     `json:"description"`
	License     asyncNamed `json:"license"`
	Tags        []asyncTag `json:"tags"`
}

type asyncNamed struct {
	Name string `json:"name"`
}

type asyncTag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type asyncServer struct {
	Host        string                   `json:"host"`
	Protocol    string                   `json:"protocol"`
	Description string                   `json:"description"`
	Variables   map[string]asyncVariable `json:"variables"`
}

type asyncVariable struct {
	Description string   `json:"description"`
	Default     string   `json:"default,omitempty"`
	Enum        []string `json:"enum,omitempty"`
}

type asyncChannel struct {
	Address     string                   `json:"address"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Parameters  map[string]asyncVariable `json:"parameters"`
	Messages    map[string]asyncRef      `json:"messages"`
	Tags        []asyncTag               `json:"tags"`
}

type asyncOperation struct {
	Action  string     `json:"action"`
	Channel asyncRef   `json:"channel"`
	Summary string     `json:"summary"`
	Tags    []asyncTag `json:"tags"`
}

type asyncMessage struct {
	Name          string            `json:"name"`
	Title         string            `json:"title"`
	Summary       string            `json:"summary"`
	ContentType   string            `json:"contentType"`
	CorrelationID *asyncCorrelation `json:"correlationId,omitempty"`
	Headers       *huma.Schema      `json:"headers"`
	Payload       *huma.Schema      `json:"payload"`
	Examples      []asyncExample    `json:"examples"`
}

type asyncCorrelation struct {
	Description string `json:"description"`
	Location    string `json:"location"`
}

type asyncExample struct {
	Payload any `json:"payload"`
}

type asyncComponents struct {
	Messages map[string]*asyncMessage `json:"messages"`
	Schemas  map[string]*huma.Schema  `json:"schemas"`
}

type asyncRef struct {
	Ref string `json:"$ref"`
}
