package flow

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/flow/datepattern"
	"integration.gateway/pkg/flow/placeholder"
)

// Site is a web application that an integration is pointed at: a folder that
// was read and found without fault. It does not change and can be used by many
// goroutines.
type Site struct {
	Name        string
	Integration string
	BaseURL     string // without a slash at its end
	Hash        string // of the folder: SHA-256 in hex over its files, by name

	// Settle is how long the application may go on with an effect whose command
	// broke off: what it does not show by then did not happen, as far as anybody
	// can tell. Zero: the site does not say.
	Settle time.Duration

	origins      []string // allowed besides the base URL's
	timeout      time.Duration
	viewport     *setViewport
	formats      placeholder.Formats
	datePatterns []datepattern.Pattern
	timePatterns []datepattern.Pattern
	group        string // mark between thousands
	currency     string // ISO 4217
	defaults     map[string]any
	overlays     []selectors
	signIn       *signIn
	operations   map[string]*operation
	flows        map[string]*Flow
}

// operation is how a site carries out one operation.
type operation struct {
	name        string
	flow        *Flow
	reconcile   *Flow
	public      bool
	ignores     []string
	unsupported []string
	sideEffects []string
	contract    *Contract
	line        int // of site.yaml
}

// signIn is how a site is signed in to, and what proves it.
type signIn struct {
	flow       *Flow
	home       placeholder.Template
	signedIn   condition
	signedOut  *condition
	rejected   *condition
	verify     *condition
	verifyFlow *Flow
	remember   *Step // nil: nothing
}

// Has reports whether the site has a flow for an operation.
func (s *Site) Has(name string) bool { return s.operations[name] != nil }

// Operations lists the operations that the site has flows for, by name.
func (s *Site) Operations() []string { return slices.Sorted(maps.Keys(s.operations)) }

// CanSignIn reports whether the site tells how to sign in.
func (s *Site) CanSignIn() bool { return s.signIn != nil }

// IsPublic reports whether an operation is played without being signed in.
func (s *Site) IsPublic(name string) bool {
	op := s.operations[name]
	return op != nil && op.public
}

// CanReconcile reports whether a flow can find out if an operation's effect
// happened.
func (s *Site) CanReconcile(name string) bool {
	op := s.operations[name]
	return op != nil && op.reconcile != nil
}

// SideEffects lists what an operation does at the site besides its effect.
func (s *Site) SideEffects(name string) []string {
	if op := s.operations[name]; op != nil {
		return slices.Clone(op.sideEffects)
	}
	return nil
}

// WithBaseURL is the same site in another deployment. Its hash stays.
func (s *Site) WithBaseURL(address string) (*Site, error) {
	base, err := baseURL(address)
	if err != nil {
		return nil, err
	}
	other := *s
	other.BaseURL = base
	return &other, nil
}

func baseURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("the base URL %q is not an http or https address without user name, query and fragment", address)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}

// Origins lists the origins whose documents the site's pages may load, the
// base URL's first.
func (s *Site) Origins() []string {
	return append([]string{originOf(s.BaseURL)}, s.origins...)
}

// originOf returns an address's origin, empty for what has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// allows reports whether a document may be loaded from an address: from the
// site's own origins alone. So a private address is refused unless the site
// itself is there.
func (s *Site) allows(address string) bool {
	origin := originOf(address)
	return origin != "" && slices.Contains(s.Origins(), origin)
}

// absolute makes a path of the site a whole address.
func (s *Site) absolute(address string) string {
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		return s.BaseURL + address
	}
	base, err := url.Parse(s.BaseURL + "/")
	if err != nil {
		return address
	}
	u, err := base.Parse(address)
	if err != nil {
		return address
	}
	return u.String()
}
