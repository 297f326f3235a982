package clinicrecords

// Modality says how a client meets the provider.
type Modality string

// The values of Modality.
const (
	InPerson Modality = "in-person"
	Virtual  Modality = "virtual" // by video
	Phone    Modality = "phone"
)
