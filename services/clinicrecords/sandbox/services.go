package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Modality says how a client meets a provider.
type Modality string

// The modalities.
const (
	InPerson Modality = "inPerson"
	Video    Modality = "video"
	Phone    Modality = "phone"
)

// Service is what a provider can be booked for.
type Service struct {
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	Category    string   `json:"category"`
	Description string   `json:"description"`
	Modality    Modality `json:"modality"`
	Minutes     int      `json:"minutes"`
	Buffer      int      `json:"bufferMinutes"` // kept free after it
	Price       string   `json:"price"`
	Deposit     string   `json:"deposit,omitempty"`
	Online      bool     `json:"onlineBooking"`
}

// treatment is a service in person, from which those at a distance derive.
type treatment struct {
	name, category  string
	minutes, buffer int
	price           int // dollars
}

var treatments = []treatment{
	{"Wrinkle relaxer, one area", "Injectables", 30, 10, 290},
	{"Wrinkle relaxer, three areas", "Injectables", 45, 10, 720},
	{"Lip filler, 1 ml", "Injectables", 60, 15, 680},
	{"Cheek filler, 2 ml", "Injectables", 75, 15, 1340},
	{"Filler dissolving", "Injectables", 30, 10, 240},
	{"Hydrating facial", "Facials", 45, 10, 145},
	{"Deep cleansing facial", "Facials", 60, 10, 165},
	{"Enzyme peel facial", "Facials", 50, 10, 175},
	{"Express facial", "Facials", 30, 5, 95},
	{"Hair removal, small area", "Laser", 15, 5, 85},
	{"Hair removal, legs", "Laser", 60, 10, 390},
	{"Pigment treatment", "Laser", 45, 10, 310},
	{"Vascular treatment", "Laser", 40, 10, 330},
	{"Microneedling", "Skin", 60, 15, 350},
	{"Chemical peel, light", "Skin", 30, 10, 160},
	{"Chemical peel, medium", "Skin", 45, 15, 260},
	{"Dermaplaning", "Skin", 40, 10, 130},
	{"Vitamin infusion", "Wellness", 45, 5, 190},
	{"Nutrition plan", "Wellness", 60, 5, 150},
	{"Lymphatic massage", "Wellness", 60, 15, 140},
}

// newServices numbers the treatments from 301, their consultations by video
// from 401, and calls about them from 501.
func newServices() []Service {
	var services []Service
	for i, t := range treatments {
		s := Service{
			ID: int64(301 + i), Name: t.name, Category: t.category, Description: t.name + " at the clinic, by a licensed provider.",
			Modality: InPerson, Minutes: t.minutes, Buffer: t.buffer, Price: dollars(t.price * 100), Online: t.price < 500,
		}
		if t.price >= 500 {
			s.Deposit = dollars(t.price * 10)
		}
		services = append(services, s)
	}
	for i, t := range treatments {
		services = append(services, Service{
			ID: int64(401 + i), Name: "Video consultation: " + t.name, Category: t.category, Description: "Whether the treatment suits you, and what it takes.",
			Modality: Video, Minutes: 20 + t.minutes/60*10, Buffer: 5, Price: "60.00", Online: true,
		})
	}
	for i, t := range treatments {
		services = append(services, Service{
			ID: int64(501 + i), Name: "Aftercare call: " + t.name, Category: t.category, Description: "How the treatment went, and what to mind.",
			Modality: Phone, Minutes: 15, Price: "0.00",
		})
	}
	return services
}

func dollars(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return sign + strconv.Itoa(cents/100) + "." + strconv.Itoa(cents/10%10) + strconv.Itoa(cents%10)
}

func (s *Site) service(id int64) (Service, bool) {
	i := slices.IndexFunc(s.services, func(v Service) bool { return v.ID == id })
	if i < 0 {
		return Service{}, false
	}
	return s.services[i], true
}

// offered are the services that a provider can be booked for at a clinic.
func (s *Site) offered(p *Provider, c *Clinic, by Modality) []Service {
	list := []Service{}
	for _, v := range s.services {
		if v.Modality == by && v.Category != c.lacks && slices.Contains(p.Specialties, v.Category) && slices.Contains(p.Clinics, c.ID) && p.Active {
			list = append(list, v)
		}
	}
	return list
}

// modality reads how a client meets a provider.
func modality(text string) (Modality, *refusal) {
	if m := Modality(text); slices.Contains([]Modality{InPerson, Video, Phone}, m) {
		return m, nil
	}
	return "", invalid("Choose how the client meets the provider.")
}

func (s *Site) getServices(r *http.Request) (any, *refusal) {
	query := r.URL.Query()
	provider, no := s.provider(number(query.Get("providerId")))
	if no != nil {
		return nil, no
	}
	clinic, no := s.clinic(number(query.Get("clinicId")))
	if no != nil {
		return nil, no
	}
	by, no := modality(query.Get("modality"))
	if no != nil {
		return nil, no
	}
	return all(s.offered(provider, clinic, by)), nil
}

// visit is what is to be booked: services, and how long they take.
type visit struct {
	services []Service
	by       Modality
	minutes  int
	buffer   int
}

// visitOf puts services together. Without a length of its own a visit takes
// what its services take.
func (s *Site) visitOf(ids []int64, by Modality, minutes int) (visit, *refusal) {
	v := visit{by: by, services: []Service{}}
	if len(ids) == 0 {
		return v, invalid("Choose at least one service.")
	}
	for _, id := range ids {
		service, known := s.service(id)
		if !known {
			return v, invalid("There is no service " + strconv.FormatInt(id, 10) + ".")
		}
		v.services = append(v.services, service)
		v.minutes += service.Minutes
		v.buffer = max(v.buffer, service.Buffer)
	}
	if minutes > 0 {
		v.minutes = minutes
	}
	if v.minutes < shortest || v.minutes > longest {
		return v, invalid("An appointment takes 5 minutes to 8 hours.")
	}
	return v, nil
}

// Lengths of an appointment in minutes.
const (
	shortest = 5
	longest  = 480
)

// offers says whether a provider does all of a visit at a clinic.
func (s *Site) offers(p *Provider, c *Clinic, v visit) bool {
	offered := s.offered(p, c, v.by)
	return !slices.ContainsFunc(v.services, func(want Service) bool {
		return !slices.ContainsFunc(offered, func(o Service) bool { return o.ID == want.ID })
	})
}

func (v visit) length() time.Duration { return time.Duration(v.minutes) * time.Minute }
func (v visit) kept() time.Duration   { return time.Duration(v.buffer) * time.Minute }
