package sandbox

import (
	"net/http"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Job is a visit of a crew to a customer.
type Job struct {
	Number     int       `json:"number"`
	CustomerID string    `json:"customerId"`
	Customer   string    `json:"customer"`
	Crew       string    `json:"crew"`
	What       string    `json:"what"`
	Start      time.Time `json:"start"`
	Hours      int       `json:"hours"`
	Place      string    `json:"place"`
}

// crews are the rows of the schedule board.
var crews = []string{"Truck 1 · Ortiz", "Truck 2 · Lindqvist", "Truck 3 · Abara", "Truck 4 · Novak", "Truck 5 · Tanaka"}

// jobsOf lists the jobs of a customer. The caller holds s.mu.
func (s *Site) jobsOf(id string) []Job {
	found := []Job{}
	for _, job := range s.jobs {
		if job.CustomerID == id {
			found = append(found, job)
		}
	}
	return found
}

func (s *Site) getBoard(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	day := r.URL.Query().Get("day")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		day = s.now().UTC().Format(time.DateOnly)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := []Job{}
	for _, job := range s.jobs {
		if job.Start.Format(time.DateOnly) == day {
			jobs = append(jobs, job)
		}
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{"day": day, "crews": crews, "jobs": jobs})
}
