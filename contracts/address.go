package contracts

// Address is a postal address.
type Address struct {
	Line1      string `json:"line1" sensitive:"true" doc:"Street and house number." maxLength:"200" example:"12 Elm Street"`
	Line2      string `json:"line2,omitempty" sensitive:"true" doc:"Apartment, suite, floor." maxLength:"200" example:"Suite 4"`
	City       string `json:"city" sensitive:"true" doc:"City or town." maxLength:"100" example:"Springfield"`
	Region     string `json:"region,omitempty" sensitive:"true" doc:"State, province or county, as the application writes it." maxLength:"100" example:"IL"`
	PostalCode string `json:"postalCode,omitempty" sensitive:"true" doc:"Postal code." maxLength:"20" example:"62704"`
	Country    string `json:"country,omitempty" sensitive:"true" doc:"ISO 3166-1 alpha-2 country code." pattern:"^[A-Z]{2}$" patternDescription:"a country code of two capital letters" example:"US"`
}
