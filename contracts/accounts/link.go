package accounts

import (
	"encoding/base32"
	"net/http"
	"strings"

	"integration.gateway/contracts"
)

// LinkAccount links an end user's account at an application for one caller.
var LinkAccount = contracts.Operation[LinkAccountRequest, LinkedAccount]{
	Integration: integration,
	Name:        "link-account",
	Method:      http.MethodPost,
	Path:        "/admin/v1/accounts",
	Summary:     "Link an account",
	Description: "Links an end user's account at an application for one caller. The credentials are sealed at rest with a key of this account's own. They are not tried now; the first operation signs in.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// LinkAccountRequest describes the account.
type LinkAccountRequest struct {
	Body NewAccount `json:"body"`
}

// Validate returns an error of kind Invalid when the one-time-code secret is
// not one.
func (r *LinkAccountRequest) Validate() error {
	if r.Body.OneTimeSecret == "" {
		return nil
	}
	if _, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(NormalSecret(r.Body.OneTimeSecret)); err != nil {
		return contracts.Errorf(contracts.Invalid, "body.oneTimeSecret is not base32: give the key that the application shows beside its QR code")
	}
	return nil
}

// NormalSecret returns a one-time-code secret in the spelling in which it is
// kept: capitals, without the spaces and the padding that applications show.
func NormalSecret(secret string) string {
	return strings.TrimRight(strings.ToUpper(strings.Join(strings.Fields(secret), "")), "=")
}

// NewAccount describes an account to link.
type NewAccount struct {
	CallerID      string `json:"callerId" doc:"Caller that may act on the account." minLength:"1" maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Integration   string `json:"integration" doc:"Integration that the account belongs to, as it stands in paths." minLength:"1" maxLength:"100" example:"marketplace"`
	Site          string `json:"site,omitempty" doc:"Site of the integration that the account is at. Leave out for the integration's default site." pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" maxLength:"100" example:"sandbox"`
	Label         string `json:"label,omitempty" doc:"What tells this account from others. It is kept in clear: do not name the end user in it." maxLength:"200" example:"pilot customer 7"`
	Username      string `json:"username" sensitive:"true" doc:"Name that the end user signs in with." minLength:"1" maxLength:"500" example:"jane.roe@example.com"`
	Password      string `json:"password" sensitive:"true" doc:"Password that the end user signs in with." minLength:"1" maxLength:"1000" example:"correct horse battery staple"`
	OneTimeSecret string `json:"oneTimeSecret,omitempty" sensitive:"true" doc:"Base32 secret from which the application's one-time codes are made (RFC 6238), where it asks for them." maxLength:"500" example:"JBSWY3DPEHPK3PXP"`
}

// LinkedAccount is an account that was just linked.
type LinkedAccount struct {
	Account
	AccountToken string `json:"accountToken" sensitive:"true" doc:"The account token, shown this once. It goes into the header X-Account-Token." example:"igw_acc_8RkXw2mQvT5yLz0JcN7bEpGf3hSdUa1oKi9VtZqWxYM"`
}

// Credentials are what a service signs in with, as the vault keeps them: the
// JSON of this struct, under the name CredentialsName, for the account's id.
type Credentials struct {
	Username      string `json:"username" sensitive:"true"`
	Password      string `json:"password" sensitive:"true"`
	OneTimeSecret string `json:"oneTimeSecret,omitempty" sensitive:"true"` // base32 without spaces; empty where none is asked for
	Site          string `json:"site,omitempty"`                           // empty stands for the integration's default site
}

// CredentialsName is the name of an account's credentials in the vault.
const CredentialsName = "credentials"
