package sandbox

// department is a part of the assortment.
type department struct {
	Name    string
	Slug    string
	sellers []string
	lines   []line
}

// line is a product that comes in variants.
type line struct {
	name     string
	cents    int // list price of the first variant
	variants series
	shape    shape
	trait    trait
}

// series are variants, the cheapest first; each costs so many per cent more than
// the one before it.
type series struct {
	names  []string
	growth int
}

// trait is what sets a line apart from others.
type trait int

const (
	plain     trait = iota
	bulk            // sold in larger quantities only
	hazardous       // not flown: delivered on the mainland only
)

// Series that several lines come in.
var (
	reams   = series{[]string{"1 ream", "3 reams", "5 reams", "10 reams", "20 reams", "40 reams"}, 80}
	packs   = series{[]string{"pack of 2", "pack of 5", "pack of 10", "pack of 12", "pack of 24", "pack of 50", "pack of 100", "carton of 250"}, 65}
	colours = series{[]string{"black", "white", "grey", "blue", "red", "green", "yellow", "orange"}, 3}
	sizes   = series{[]string{"size XS", "size S", "size M", "size L", "size XL", "size 2XL", "size 3XL", "size 4XL"}, 2}
	litres  = series{[]string{"0.5 l", "1 l", "2 l", "5 l", "10 l", "20 l", "6 x 1 l", "12 x 1 l"}, 60}
	lengths = series{[]string{"0.5 m", "1 m", "2 m", "3 m", "5 m", "10 m", "20 m", "50 m"}, 45}
	widths  = series{[]string{"60 cm", "80 cm", "100 cm", "120 cm", "140 cm", "160 cm", "180 cm", "200 cm"}, 18}
	models  = series{[]string{"series 100", "series 200", "series 300", "series 400", "series 500", "series 600", "series 700", "series 800"}, 22}
)

// departments are the shop's assortment: about 600 products.
var departments = []department{
	{Name: "Paper", Slug: "paper", sellers: []string{"Paper Depot", "Northmill Paper"}, lines: []line{
		{"Copy paper A4, 80 g", 690, reams, sheets, plain},
		{"Copy paper A4, 75 g, recycled", 640, reams, sheets, plain},
		{"Copy paper A3, 80 g", 1390, reams, sheets, plain},
		{"Colour laser paper A4, 120 g", 1290, reams, sheets, plain},
		{"Envelopes C4, self-seal", 480, packs, sheets, plain},
		{"Envelopes DL, window", 310, packs, sheets, bulk},
		{"Sticky notes, 76 x 76 mm", 190, packs, sheets, plain},
		{"Receipt rolls, thermal, 80 mm", 320, packs, roll, plain},
		{"Shipping labels, 100 x 150 mm", 420, packs, roll, plain},
		{"Ring binder A4, two rings", 360, colours, box, plain},
		{"Notebook A5, dotted", 550, colours, sheets, plain},
	}},
	{Name: "Printers and ink", Slug: "printers", sellers: []string{"Inkwell Direct", "Brackenfold"}, lines: []line{
		{"Laser printer, mono", 14900, models, printer, plain},
		{"Laser printer, colour, duplex", 28900, models, printer, plain},
		{"Label printer, thermal", 11900, models, printer, plain},
		{"Document scanner, sheet feed", 23900, models, printer, plain},
		{"Toner cartridge, black", 5900, models, roll, plain},
		{"Toner cartridge, cyan", 6400, models, roll, plain},
		{"Ink cartridge, black, high yield", 2900, models, bottle, plain},
		{"Drum unit", 8900, models, roll, plain},
		{"Printer cable", 590, lengths, cable, plain},
	}},
	{Name: "Cleaning", Slug: "cleaning", sellers: []string{"Clearbrook Hygiene", "Brackenfold"}, lines: []line{
		{"All-purpose cleaner, citrus", 390, litres, bottle, plain},
		{"Surface disinfectant", 690, litres, bottle, hazardous},
		{"Oven cleaner spray", 820, packs, bottle, hazardous},
		{"Hand soap, unscented", 410, litres, bottle, plain},
		{"Paper towels, two ply", 890, packs, roll, bulk},
		{"Microfibre cloths", 450, packs, sheets, plain},
		{"Refuse sacks, 120 l", 610, packs, box, plain},
		{"Nitrile gloves, powder free", 990, sizes, box, plain},
		{"Mop head, cotton", 560, colours, tool, plain},
		{"Floor squeegee", 1490, widths, tool, plain},
	}},
	{Name: "Tools", Slug: "tools", sellers: []string{"Forge & Anvil Supply", "Brackenfold"}, lines: []line{
		{"Cordless drill, 18 V", 8900, models, tool, plain},
		{"Screwdriver set, insulated", 2490, packs, tool, plain},
		{"Extension lead, outdoor", 1290, lengths, cable, plain},
		{"Cable ties, nylon", 240, packs, cable, bulk},
		{"Step ladder, aluminium", 5900, widths, tool, plain},
		{"Spirit level", 1790, widths, tool, plain},
		{"Duct tape, 50 mm", 620, colours, roll, plain},
		{"Penetrating oil spray", 740, packs, bottle, hazardous},
		{"Work gloves, cut resistant", 1190, sizes, box, plain},
		{"Safety helmet, ventilated", 1590, colours, tool, plain},
	}},
	{Name: "Furniture", Slug: "furniture", sellers: []string{"Halden Office", "Brackenfold"}, lines: []line{
		{"Desk, height adjustable", 34900, widths, desk, plain},
		{"Office chair, mesh back", 17900, colours, desk, plain},
		{"Filing cabinet, three drawers", 14900, colours, desk, plain},
		{"Bookcase, oak", 9900, widths, desk, plain},
		{"Whiteboard, magnetic", 4900, widths, desk, plain},
		{"Desk lamp, LED", 3900, colours, tool, plain},
		{"Monitor arm", 5900, models, tool, plain},
		{"Shelving unit, steel", 7900, widths, desk, plain},
		{"Coat stand", 3400, colours, desk, plain},
	}},
	{Name: "Kitchen and catering", Slug: "catering", sellers: []string{"Millstone Catering", "Brackenfold"}, lines: []line{
		{"Baking parchment, sheets", 790, packs, sheets, plain},
		{"Paper cups, double wall", 540, packs, bottle, bulk},
		{"Cake boxes, white", 690, packs, box, plain},
		{"Stainless steel mixing bowl", 1290, litres, bottle, plain},
		{"Catering foil, 45 cm", 990, lengths, roll, plain},
		{"Napkins, three ply", 350, packs, sheets, plain},
		{"Filter coffee, ground", 890, packs, box, plain},
		{"Tea bags, breakfast blend", 520, packs, box, plain},
		{"Apron, cotton twill", 1390, colours, box, plain},
	}},
	{Name: "Packing", Slug: "packing", sellers: []string{"Paper Depot", "Crate & Carry"}, lines: []line{
		{"Cardboard boxes, double wall", 1190, packs, box, plain},
		{"Packing tape, clear", 390, packs, roll, plain},
		{"Bubble wrap", 690, lengths, roll, plain},
		{"Stretch film, 500 mm", 890, packs, roll, bulk},
		{"Mailing bags, recycled", 490, packs, box, plain},
		{"Pallet strapping", 1490, lengths, cable, plain},
		{"Document pouches", 420, packs, sheets, plain},
		{"Packing paper", 790, lengths, sheets, plain},
	}},
	{Name: "Computing", Slug: "computing", sellers: []string{"Brackenfold", "Switchyard IT"}, lines: []line{
		{"Network cable, cat 6", 390, lengths, cable, plain},
		{"Network switch, managed", 8900, models, printer, plain},
		{"Keyboard, wired", 1990, colours, printer, plain},
		{"Mouse, wireless", 1790, colours, tool, plain},
		{"Headset, noise cancelling", 5900, models, tool, plain},
		{"USB-C dock", 9900, models, printer, plain},
		{"Webcam, 1080p", 4900, models, tool, plain},
		{"Monitor, 27 inch", 21900, models, desk, plain},
		{"External drive, portable", 6900, models, box, plain},
		{"Batteries AA, alkaline", 480, packs, bottle, hazardous},
	}},
}
