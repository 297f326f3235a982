package sandbox

import kit "integration.gateway/pkg/sandbox"

// The users of the network. Each signs in with an e-mail address.
var (
	// Jane has one-time codes.
	Jane = kit.User{Username: "jane.roe@fernlight.example", Password: "willow-Lantern-58", OneTimeSecret: "MZSXE3TMNFTWQ5DKMFXGKPBSGQ3DQMBR"} //nolint:gosec // a demonstration account
	// Noor has one-time codes.
	Noor = kit.User{Username: "noor.haddad@fernlight.example", Password: "copper-Meadow-12", OneTimeSecret: "NZXW64TIMFSGIYLEGEZDGNBVGY3TQOJQ"} //nolint:gosec // a demonstration account
	// Tomas has one-time codes.
	Tomas = kit.User{Username: "tomas.berg@fernlight.example", Password: "garnet-Harbor-90", OneTimeSecret: "ORXW2YLTMJSXEZZRGIZTINJWG44DSMCB"} //nolint:gosec // a demonstration account
	// Mila has no second factor.
	Mila = kit.User{Username: "mila.novak@fernlight.example", Password: "saffron-Window-33"}
	// Viktor is suspended.
	Viktor = kit.User{Username: "viktor.lind@fernlight.example", Password: "quartz-Station-71"}
)

// Users are all users of the network.
var Users = []kit.User{Jane, Noor, Tomas, Mila, Viktor}

// suspended are the users who may not sign in, with what they are told.
var suspended = map[string]string{
	Viktor.Username: "This account is suspended. It broke our community guidelines.",
}

// handles are the users' names as members.
var handles = map[string]string{
	Jane.Username:   "jane.roe",
	Noor.Username:   "noor.haddad",
	Tomas.Username:  "tomas.berg",
	Mila.Username:   "mila.novak",
	Viktor.Username: "viktor.lind",
}
