package clinicrecords

import (
	"time"

	"integration.gateway/contracts"
)

// ClientStatus says whether a client is still seen.
type ClientStatus string

// The values of ClientStatus.
const (
	ActiveClient   ClientStatus = "active"
	InactiveClient ClientStatus = "inactive"
)

// Client is a person whom the business treats.
type Client struct {
	ClientID         int64              `json:"clientId" sensitive:"true" doc:"The application's number of the client." example:"50331"`
	FirstName        string             `json:"firstName" sensitive:"true" doc:"Given name." example:"Jane"`
	LastName         string             `json:"lastName" sensitive:"true" doc:"Family name." example:"Roe"`
	PreferredName    string             `json:"preferredName,omitempty" sensitive:"true" doc:"What the client wants to be called." example:"Janie"`
	Email            string             `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" example:"jane.roe@mail.example"`
	MobilePhone      string             `json:"mobilePhone,omitempty" sensitive:"true" doc:"Mobile telephone number, as the application shows it." example:"+1 217 555 0134"`
	HomePhone        string             `json:"homePhone,omitempty" sensitive:"true" doc:"Home telephone number, as the application shows it." example:"+1 217 555 0178"`
	BirthDate        string             `json:"birthDate,omitempty" sensitive:"true" doc:"Date of birth." format:"date" example:"1988-04-17"`
	Gender           string             `json:"gender,omitempty" sensitive:"true" doc:"Gender, as the application writes it." example:"Female"`
	Address          *contracts.Address `json:"address,omitempty" doc:"Postal address."`
	Status           ClientStatus       `json:"status" enum:"active,inactive" doc:"Whether the client is still seen." example:"active"`
	HomeClinicID     int64              `json:"homeClinicId,omitempty" doc:"Clinic that the client usually visits." example:"12"`
	ProviderID       int64              `json:"providerId,omitempty" sensitive:"true" doc:"Provider who usually sees the client." example:"7"`
	MembershipName   string             `json:"membershipName,omitempty" sensitive:"true" doc:"Membership plan that the client is on." example:"Glow monthly"`
	ReferralSource   string             `json:"referralSource,omitempty" sensitive:"true" doc:"How the client found the business." example:"Friend"`
	MarketingConsent bool               `json:"marketingConsent,omitempty" doc:"Whether the client agreed to marketing messages." example:"true"`
	Balance          *contracts.Money   `json:"balance,omitempty" sensitive:"true" doc:"What the client owes; negative when the client has credit."`
	Allergies        []string           `json:"allergies,omitempty" nullable:"false" sensitive:"true" doc:"Known allergies." example:"[\"Lidocaine\"]"`
	MedicalAlerts    []string           `json:"medicalAlerts,omitempty" nullable:"false" sensitive:"true" doc:"What staff must know before a treatment." example:"[\"Takes anticoagulants\"]"`
	Notes            string             `json:"notes,omitempty" sensitive:"true" doc:"Notes to the client." example:"Prefers mornings."`
	Tags             []string           `json:"tags,omitempty" nullable:"false" sensitive:"true" doc:"Labels that the business gave the client." example:"[\"VIP\"]"`
	LastVisitDate    string             `json:"lastVisitDate,omitempty" sensitive:"true" doc:"Day of the latest completed appointment." format:"date" example:"2026-10-12"`
	CreatedAt        *time.Time         `json:"createdAt,omitempty" doc:"When the client was entered." example:"2024-02-09T11:05:00-06:00"`
}
