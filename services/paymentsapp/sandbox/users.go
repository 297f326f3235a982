package sandbox

import kit "integration.gateway/pkg/sandbox"

// The users of the application. Each signs in with an e-mail address.
var (
	// Jane has one-time codes.
	Jane = kit.User{Username: "jane.roe@quitly.example", Password: "amber-Ferry-64", OneTimeSecret: "PFSWC3DMN53XS3DPOZSWY6JUGU3DOOBZ"} //nolint:gosec // a demonstration account
	// Noor has one-time codes.
	Noor = kit.User{Username: "noor.haddad@quitly.example", Password: "indigo-Bakery-27", OneTimeSecret: "MJQW42LTORSXEMRTGQ2TMNZYHEYDCMRT"} //nolint:gosec // a demonstration account
	// Tomas has one-time codes.
	Tomas = kit.User{Username: "tomas.berg@quitly.example", Password: "velvet-Signal-85", OneTimeSecret: "ONUW4Z3MMVRXK4TSMVXGG6JTGQ2TMNZY"} //nolint:gosec // a demonstration account
	// Mila has no second factor.
	Mila = kit.User{Username: "mila.novak@quitly.example", Password: "lemon-Orchard-09"}
	// Viktor's account is closed.
	Viktor = kit.User{Username: "viktor.lind@quitly.example", Password: "silver-Tunnel-46"}
)

// Users are all users of the application.
var Users = []kit.User{Jane, Noor, Tomas, Mila, Viktor}

// closed are the users who may not sign in, with what they are told.
var closed = map[string]string{
	Viktor.Username: "This account has been closed. Our support team can tell you more.",
}
