package sandbox

import (
	"fmt"
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

func (s *Site) showVehicles(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := r.URL.Query()
	from, to := atoi(f.Get("from")), atoi(f.Get("to"))
	found := s.vehicles.where(func(v Vehicle) bool {
		return fits(f.Get("dealer"), v.DealerID) && fits(f.Get("condition"), v.Condition) && fits(f.Get("make"), v.Make) &&
			fits(f.Get("model"), v.Model) && v.Year >= from && (to == 0 || v.Year <= to) && fits(f.Get("vin"), v.VIN) && fits(f.Get("stock"), v.Stock)
	})
	s.show(w, http.StatusOK, "vehicles", page{Title: "Vehicles", session: session, Content: list(r, found)})
}

func (s *Site) showVehicle(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	v, ok := s.vehicles.find(r.PathValue("id"))
	if !ok {
		s.message(w, session, "There is no vehicle with this number.")
		return
	}
	s.show(w, http.StatusOK, "vehicle", page{Title: v.Title(), session: session, Content: v})
}

var paints = map[string]string{
	"Harbor blue": "#2f5f8f", "Graphite": "#4a4f55", "Pearl white": "#eceae4", "Ember red": "#a8322a", "Moss green": "#5d6b45", "Silver": "#b9bdc1",
}

// picture draws a vehicle.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	id, isSVG := strings.CutSuffix(r.PathValue("file"), ".svg")
	v, ok := s.vehicles.find(id)
	if !ok || !isSVG {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 48"><rect width="96" height="48" fill="#e8edee"/>`+
		`<path d="M8 34V26l14-3 10-10h30l14 10 12 4v7z" fill="%s" stroke="#222"/><circle cx="26" cy="35" r="7"/><circle cx="72" cy="35" r="7"/></svg>`, paints[v.Exterior])
}
