package contracts

// Money is an exact amount. It never passes through a floating-point number.
type Money struct {
	Amount   string `json:"amount" doc:"Decimal amount with a point, as the application shows it, without a sign for positive amounts." pattern:"^-?[0-9]+(\\.[0-9]+)?$" example:"24.99"`
	Currency string `json:"currency" doc:"ISO 4217 currency code." pattern:"^[A-Z]{3}$" example:"USD"`
}
