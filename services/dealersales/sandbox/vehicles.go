package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// Vehicle is a vehicle that a dealer has or expects.
type Vehicle struct {
	ID, VIN, Stock, DealerID         string
	Condition, Status                string // as the application writes them
	Year                             int
	Make, Model, Trim, Body          string
	Exterior, Interior               string
	Engine, Transmission, Drivetrain string
	Fuel                             string
	Mileage                          int
	ListPrice, SalePrice             int       // dollars; 0 where there is none yet
	ArrivedAt                        time.Time // zero while in transit
}

// Title names the vehicle.
func (v Vehicle) Title() string { return fmt.Sprintf("%d %s %s %s", v.Year, v.Make, v.Model, v.Trim) }

// The conditions and the states of a vehicle, as the application writes them.
const (
	isNew     = "New"
	isUsed    = "Used"
	isCPO     = "Certified pre-owned"
	isDemo    = "Demonstrator"
	inStock   = "In stock"
	inTransit = "In transit"
	onHold    = "On hold"
	isSold    = "Sold"
	inService = "In preparation"
)

var conditions = []string{isNew, isUsed, isCPO, isDemo}

type model struct {
	name, body, engine, transmission, drivetrain, fuel string
	price                                              int
}

// makes are those that the dealers sell. There are no such makes.
var makes = []struct {
	name, code string // the code begins the vehicle identification numbers
	models     []model
}{
	{"Arden", "1RD", []model{
		{"Solace", "Sedan", "1.5L turbo I4", "CVT", "FWD", "Gasoline", 26800},
		{"Solace Hybrid", "Sedan", "2.0L hybrid I4", "CVT", "FWD", "Hybrid", 31200},
		{"Meridian", "SUV", "2.0L turbo I4", "9-speed automatic", "AWD", "Gasoline", 38900},
		{"Ridgeway", "Crew cab pickup", "3.5L V6", "9-speed automatic", "AWD", "Gasoline", 44500},
	}},
	{"Kestrel", "2KS", []model{
		{"Dart", "Hatchback", "2.0L I4", "6-speed manual", "FWD", "Gasoline", 24100},
		{"Hover", "SUV", "2.5L I4", "8-speed automatic", "AWD", "Gasoline", 33400},
		{"Hover EV", "SUV", "Dual motor", "Single-speed", "AWD", "Electric", 47900},
	}},
	{"Tolland", "1TL", []model{
		{"Hauler 150", "Crew cab pickup", "2.7L turbo V6", "10-speed automatic", "4WD", "Gasoline", 49800},
		{"Hauler 250", "Crew cab pickup", "6.7L V8", "10-speed automatic", "4WD", "Diesel", 64900},
		{"Fellside", "SUV", "3.0L turbo I6", "10-speed automatic", "4WD", "Gasoline", 55300},
	}},
	{"Morava", "4MV", []model{
		{"Cargo 2500", "Van", "3.0L I6", "9-speed automatic", "RWD", "Diesel", 51200},
		{"Cargo Electric", "Van", "Single motor", "Single-speed", "RWD", "Electric", 58700},
	}},
	{"Veyra", "5VY", []model{
		{"Lumen", "Coupe", "2.0L turbo I4", "7-speed dual clutch", "RWD", "Gasoline", 46200},
		{"Lumen Tourer", "Wagon", "3.0L hybrid I6", "8-speed automatic", "AWD", "Plug-in hybrid", 61800},
	}},
	{"Brightwell", "3BW", []model{
		{"Box 16", "Box truck", "5.2L V8", "6-speed automatic", "RWD", "Gasoline", 57400},
	}},
}

const vehicleCount = 2000

// newVehicles makes the dealers' stock: half of it new.
func newVehicles(fake *gofakeit.Faker, today time.Time) table[Vehicle] {
	vehicles := newTable[Vehicle]("V", 54001)
	trims := []string{"Base", "Sport", "Touring", "Limited"}
	for i := range vehicleCount {
		brand := makes[fake.Number(0, len(makes)-1)]
		m := brand.models[fake.Number(0, len(brand.models)-1)]
		trim := fake.Number(0, len(trims)-1)
		v := Vehicle{
			ID: vehicles.next(), DealerID: dealers[(vehicles.first+i+1)%len(dealers)].ID, Condition: conditions[0], Status: inStock,
			Make: brand.name, Model: m.name, Trim: trims[trim], Body: m.body, Engine: m.engine, Transmission: m.transmission,
			Drivetrain: m.drivetrain, Fuel: m.fuel,
			Exterior: fake.RandomString([]string{"Harbor blue", "Graphite", "Pearl white", "Ember red", "Moss green", "Silver"}),
			Interior: fake.RandomString([]string{"Black", "Sand", "Grey", "Cognac"}),
			Year:     today.Year() + fake.Number(0, 1), Mileage: fake.Number(3, 40),
			ArrivedAt: today.AddDate(0, 0, -fake.Number(1, 160)), ListPrice: m.price + 2100*trim,
		}
		v.age(fake, today)
		v.VIN = newVIN(fake, brand.code, v.Year, i)
		v.Stock = fmt.Sprintf("%c%02d%04d", v.Make[0], v.Year%100, 1000+i)
		if v.Status == inTransit {
			v.ArrivedAt, v.SalePrice = time.Time{}, 0
		}
		vehicles.add(v)
	}
	return vehicles
}

// age gives a vehicle its condition and state, and the price that goes with
// them.
func (v *Vehicle) age(fake *gofakeit.Faker, today time.Time) {
	switch kind := fake.Number(0, 19); {
	case kind < 10: // new
		v.Status = []string{inStock, inStock, inStock, inTransit, inStock, onHold, inStock, isSold, inTransit, inStock}[kind]
	case kind == 10:
		v.Condition, v.Mileage = isDemo, fake.Number(800, 6000)
	default:
		v.Condition = isUsed
		years := fake.Number(2, 9)
		if years < 6 && kind%3 == 0 {
			v.Condition = isCPO
		}
		v.Year = today.Year() - years
		v.Mileage = years*11000 + fake.Number(0, 9000)
		v.ListPrice -= v.ListPrice * 9 * years / 100
		v.Status = []string{inStock, inStock, inService, inStock, isSold}[fake.Number(0, 4)]
	}
	v.SalePrice = v.ListPrice - 50*fake.Number(0, 40)
}

// newVIN makes a vehicle identification number: the maker, what it is, its
// check digit, year and plant, and the serial number.
func newVIN(fake *gofakeit.Faker, maker string, year, serial int) string {
	const legal = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
	const years = "ABCDEFGHJKLMNPRSTVWXY123456789" // from 2010 on, then anew
	vin := []byte(maker + "00000" + "0" + string(years[(year-2010)%len(years)]) + "C" + fmt.Sprintf("%06d", 100000+serial*7))
	for i := 3; i < 8; i++ {
		vin[i] = legal[fake.Number(0, len(legal)-1)]
	}
	vin[8] = checkDigit(string(vin))
	return string(vin)
}

// checkDigit is the ninth sign of a vehicle identification number, which the
// others give.
func checkDigit(vin string) byte {
	const values = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
	weights := []int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	sum := 0
	for i, weight := range weights {
		sum += weight * (strings.IndexByte(values, vin[i]) % 10)
	}
	return "0123456789X"[sum%11]
}
