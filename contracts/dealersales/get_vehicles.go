package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetVehicles lists the dealers' vehicles.
var GetVehicles = contracts.Operation[GetVehiclesRequest, VehicleList]{
	Integration: integration,
	Name:        "get-vehicles",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/vehicles",
	Summary:     "List vehicles",
	Description: "Lists the vehicles that the dealers have or expect, page by page. Filters that are left out do not restrict. The answer is 400 when yearTo lies before yearFrom.",
}

// VehicleCondition says whether a vehicle was used before.
type VehicleCondition string

// The values of VehicleCondition.
const (
	NewVehicle VehicleCondition = "new"
	Used       VehicleCondition = "used"
	Certified  VehicleCondition = "certified" // certified pre-owned
	Demo       VehicleCondition = "demo"
)

// VehicleStatus says whether a vehicle can be sold.
type VehicleStatus string

// The values of VehicleStatus.
const (
	InStock        VehicleStatus = "in-stock"
	InTransit      VehicleStatus = "in-transit"
	OnHold         VehicleStatus = "on-hold"
	Sold           VehicleStatus = "sold"
	UnknownVehicle VehicleStatus = "unknown" // the application shows another status
)

// GetVehiclesRequest restricts the list.
type GetVehiclesRequest struct {
	DealerID    string           `query:"dealerId" json:"dealerId,omitempty" doc:"Only vehicles of this dealer." maxLength:"128" example:"D-014"`
	Condition   VehicleCondition `query:"condition" json:"condition,omitempty" enum:"new,used,certified,demo" doc:"Only vehicles in this condition." example:"new"`
	Make        string           `query:"make" json:"make,omitempty" sensitive:"true" doc:"Only vehicles of this make." maxLength:"100" example:"Honda"`
	Model       string           `query:"model" json:"model,omitempty" sensitive:"true" doc:"Only vehicles of this model." maxLength:"100" example:"Ridgeline"`
	YearFrom    int              `query:"yearFrom" json:"yearFrom,omitempty" doc:"Only vehicles of this model year or later." minimum:"1900" maximum:"2100" example:"2024"`
	YearTo      int              `query:"yearTo" json:"yearTo,omitempty" doc:"Only vehicles of this model year or earlier." minimum:"1900" maximum:"2100" example:"2026"`
	VIN         string           `query:"vin" json:"vin,omitempty" sensitive:"true" doc:"Only the vehicle with this vehicle identification number." pattern:"^[A-HJ-NPR-Z0-9]{17}$" patternDescription:"a vehicle identification number of 17 capital letters (not I, O, Q) and digits" example:"5FPYK3F78SB012345"`
	StockNumber string           `query:"stockNumber" json:"stockNumber,omitempty" sensitive:"true" doc:"Only the vehicle with this stock number." maxLength:"64" example:"H25118"`
	contracts.Paging
}

// Validate returns an error of kind Invalid when the years are out of order.
func (r *GetVehiclesRequest) Validate() error {
	if r.YearFrom != 0 && r.YearTo != 0 && r.YearTo < r.YearFrom {
		return contracts.Errorf(contracts.Invalid, "yearTo must not be before yearFrom")
	}
	return nil
}

// VehicleList is a page of vehicles.
type VehicleList struct {
	Vehicles []Vehicle `json:"vehicles" nullable:"false" sensitive:"true" doc:"The page's vehicles, in the application's order."`
	Total    *int      `json:"total,omitempty" doc:"How many vehicles match on all pages, where the application says it." minimum:"0" example:"1"`
}

// Vehicle is a vehicle of a dealer.
type Vehicle struct {
	VehicleID     string           `json:"vehicleId" doc:"The application's identifier of the vehicle." example:"V-55190"`
	VIN           string           `json:"vin,omitempty" doc:"Vehicle identification number (ISO 3779)." example:"5FPYK3F78SB012345"`
	StockNumber   string           `json:"stockNumber,omitempty" doc:"The dealer's own number of the vehicle." example:"H25118"`
	DealerID      string           `json:"dealerId,omitempty" doc:"Dealer who has the vehicle." example:"D-014"`
	Condition     VehicleCondition `json:"condition,omitempty" enum:"new,used,certified,demo" doc:"Whether the vehicle was used before." example:"new"`
	Status        VehicleStatus    `json:"status" enum:"in-stock,in-transit,on-hold,sold,unknown" doc:"Whether the vehicle can be sold." example:"in-stock"`
	Year          int              `json:"year" doc:"Model year." example:"2025"`
	Make          string           `json:"make" doc:"Make." example:"Honda"`
	Model         string           `json:"model" doc:"Model." example:"Ridgeline"`
	Trim          string           `json:"trim,omitempty" doc:"Trim level." example:"RTL"`
	BodyStyle     string           `json:"bodyStyle,omitempty" doc:"Shape of the body." example:"Crew cab pickup"`
	ExteriorColor string           `json:"exteriorColor,omitempty" doc:"Colour outside." example:"Platinum White Pearl"`
	InteriorColor string           `json:"interiorColor,omitempty" doc:"Colour inside." example:"Black"`
	Engine        string           `json:"engine,omitempty" doc:"Engine." example:"3.5L V6"`
	Transmission  string           `json:"transmission,omitempty" doc:"Transmission." example:"9-speed automatic"`
	Drivetrain    string           `json:"drivetrain,omitempty" doc:"Driven wheels." example:"AWD"`
	FuelType      string           `json:"fuelType,omitempty" doc:"Fuel." example:"Gasoline"`
	Mileage       *int             `json:"mileage,omitempty" doc:"Reading of the odometer, in the unit that the dealer uses." minimum:"0" example:"12"`
	ListPrice     *contracts.Money `json:"listPrice,omitempty" doc:"Manufacturer's suggested price, or the price a used vehicle is listed at."`
	SalePrice     *contracts.Money `json:"salePrice,omitempty" doc:"Price that the dealer asks."`
	ImageURL      string           `json:"imageUrl,omitempty" doc:"Address of a picture." format:"uri" example:"https://dealer.example/images/H25118.jpg"`
	InStockDate   string           `json:"inStockDate,omitempty" doc:"Day on which the dealer got the vehicle." format:"date" example:"2026-09-14"`
}
