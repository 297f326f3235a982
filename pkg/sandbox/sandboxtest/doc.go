// Package sandboxtest visits a stand-in in its tests: as a person with a
// browser, who opens pages and submits their forms, and as the scripts of those
// pages, which send requests of their own.
//
//	v := sandboxtest.Visit(t, site)
//	v.Open("/orders") // leads to the sign-in
//	v.Submit("/sign-in", url.Values{"user": {"jane"}, "password": {"secret"}})
//	v.Sees("Your orders")
//	v.Send(http.MethodPost, "/api/orders", map[string]int{"item": 7})
//	v.Answered(http.StatusConflict, "sold out")
//
// There is no browser: scripts do not run, and pages are searched as text. What
// needs a real one is played with the package flowtest.
package sandboxtest
