package chaos_test

import (
	"fmt"

	"integration.gateway/contracts/professionalnetwork"
	"integration.gateway/services/professionalnetwork/sandbox"
)

// newProfessionalNetwork opens the network, whose only operation sends a
// message.
func newProfessionalNetwork() *application {
	site := sandbox.New()
	send := &operation{
		Info: professionalnetwork.SendMessage.Info(), opens: "GET /in/{name}", sends: "POST /api/threads/{name}/messages",
	}
	members := []string{sandbox.Talkative, sandbox.Newcomer, sandbox.Namesake}
	send.wish = func(n int) wish {
		return wish{mark: numbered(n), body: professionalnetwork.NewMessage{
			To: members[n%len(members)], Content: "Good morning!\n" + numbered(n),
		}}
	}
	operations := []*operation{send}
	return &application{
		name: "professional-network", site: site,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			for _, m := range site.State().Sent {
				all = append(all, change{operation: send.Name, about: fmt.Sprintf("%s to %s", m.Text, m.To), id: fmt.Sprint(m.ID)})
			}
			return all
		},
	}
}
