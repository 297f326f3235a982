// Package drift watches how the sites change under their flows: which of a
// step's alternatives is found, and which required field is missing.
//
// Every process of the integrations counts in memory and adds its counts, every
// few seconds and at its end, to a table in the event log's database. So the
// counts are those of the whole fleet and survive restarts; what a process
// that is killed has not added yet is lost.
//
// When the first choice of a step starts losing, and when a required field
// starts to be missing, site.drifted is recorded in the site's stream. What
// "starts" means is said, and decided, in one place: the function
// count_site_looks of the database. Any number of processes may notice the same
// and add the event: it has one id, so that the log takes it once.
package drift
