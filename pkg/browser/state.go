package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
)

// stateVersion is the version of State's format that this code writes. It
// reads this one and all before it.
const stateVersion = 1

// State is what makes a fresh context of an account one that is signed in:
// its cookies and the storage of its site's origins. It holds secrets; seal
// it before it goes anywhere. It is marshalled as JSON and read back with
// DecodeState.
type State struct {
	Version int             `json:"version"`
	Cookies []Cookie        `json:"cookies"`
	Origins []OriginStorage `json:"origins"`
	// Generation is the account's, by its owner's count, when the first browser
	// was made that led to this state. See Tenant.
	Generation int64 `json:"generation,omitempty"`
}

// Cookie is a cookie as the DevTools protocol has it. The values of the
// unexplained fields are Chromium's own and go back as they came.
type Cookie struct {
	Name         string          `json:"name"`
	Value        string          `json:"value"`
	Domain       string          `json:"domain"` // with a leading dot: subdomains too
	Path         string          `json:"path"`
	Expires      float64         `json:"expires,omitempty"` // Unix time in seconds; zero or less for a session cookie
	HTTPOnly     bool            `json:"httpOnly,omitempty"`
	Secure       bool            `json:"secure,omitempty"`
	SameSite     string          `json:"sameSite,omitempty"`
	Priority     string          `json:"priority,omitempty"`
	SourceScheme string          `json:"sourceScheme,omitempty"`
	SourcePort   int             `json:"sourcePort,omitempty"`
	PartitionKey json.RawMessage `json:"partitionKey,omitempty"` // an object; its shape is Chromium's
}

// OriginStorage is the web storage of one origin.
type OriginStorage struct {
	Origin         string `json:"origin"` // such as https://shop.example
	LocalStorage   Items  `json:"localStorage,omitempty"`
	SessionStorage Items  `json:"sessionStorage,omitempty"`
}

// Items are a storage's entries: a JSON array of [key, value] pairs, kept as
// the page wrote it, since Go's strings cannot hold every JavaScript string.
type Items json.RawMessage

// MarshalJSON returns the entries' text.
func (i Items) MarshalJSON() ([]byte, error) {
	if len(i) == 0 {
		return []byte("[]"), nil
	}
	return i, nil
}

// UnmarshalJSON takes an array of pairs of strings, and nothing else.
func (i *Items) UnmarshalJSON(text []byte) error {
	var entries [][]string
	if err := json.Unmarshal(text, &entries); err != nil {
		return errors.New("storage is not a list of pairs of strings")
	}
	for _, entry := range entries {
		if len(entry) != 2 {
			return errors.New("a storage entry is not a pair")
		}
	}
	*i = nil
	if len(entries) > 0 {
		*i = bytes.Clone(text)
	}
	return nil
}

// DecodeState reads a State from JSON. It refuses unknown fields, a version
// newer than it knows and whatever else no State can hold. Its errors name no
// value of the state.
func DecodeState(text []byte) (*State, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, errors.New("browser: the account's state is not JSON")
	}
	if head.Version > stateVersion {
		return nil, fmt.Errorf("browser: the account's state has version %d, and this program reads versions up to %d: "+
			"update it, or link the account again", head.Version, stateVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var state State
	if err := decoder.Decode(&state); err != nil {
		return nil, fmt.Errorf("browser: the account's state: %w", plain(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("browser: the account's state has text after its end")
	}
	if err := state.validate(); err != nil {
		return nil, fmt.Errorf("browser: the account's state: %w", err)
	}
	return &state, nil
}

// plain leaves the values out of a decoding error.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s is not a %s", kind.Field, kind.Type)
	}
	return err
}

func (s *State) validate() error {
	if s.Version < 1 {
		return errors.New("it has no version")
	}
	for n, cookie := range s.Cookies {
		if cookie.Domain == "" {
			return fmt.Errorf("cookie %d has no domain", n+1)
		}
	}
	for n, storage := range s.Origins {
		if err := checkOrigin(storage.Origin); err != nil {
			return fmt.Errorf("origin %d: %w", n+1, err)
		}
	}
	return nil
}

// checkOrigin takes an origin as location.origin writes it, http or https.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != origin {
		return errors.New("not an origin such as https://shop.example")
	}
	return nil
}

// sessionStorage returns the origins that have entries there.
func (s *State) sessionStorage() []OriginStorage {
	var found []OriginStorage
	for _, origin := range s.Origins {
		if len(origin.SessionStorage) > 0 {
			found = append(found, OriginStorage{Origin: origin.Origin, SessionStorage: origin.SessionStorage})
		}
	}
	return found
}
