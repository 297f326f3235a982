package sandbox

// line is one line of goods, in its variants.
type line struct {
	name     string
	variants []string // appended to the name
	cents    int      // price of the first variant; each further one costs a step more
	shape    shape    // what its picture shows
	about    string
}

// department is a shelf of the shop.
type department struct {
	Slug    string
	Name    string
	Grocery bool // belongs to the grocery store
	lines   []line
}

// departments is the whole assortment, in the order of the navigation bar.
var departments = []department{
	{Slug: "kitchen", Name: "Kitchen & Dining", lines: []line{
		{"Ceramic pour-over coffee dripper", []string{"size 01", "size 02", "size 03"}, 2149, cup, "Spiral ribs and a single large hole for an even draw-down. Fits most mugs and servers."},
		{"Gooseneck electric kettle 0.9 L", []string{"matte black", "brushed steel", "sage"}, 6999, jug, "Heats to the degree and keeps it there for half an hour."},
		{"Burr coffee grinder", []string{"hand crank", "electric, 40 settings"}, 4595, jar, "Conical steel burrs from Turkish to French press."},
		{"Cast iron skillet", []string{"8 inch", "10.25 inch", "12 inch"}, 1990, pan, "Pre-seasoned, for the stove, the oven and the camp fire."},
		{"Enamelled Dutch oven 5.5 qt", []string{"ocean", "cherry", "oyster"}, 11900, pan, "Heavy lid with basting spikes; oven-safe to 500 °F."},
		{"Chef's knife", []string{"6 inch", "8 inch", "10 inch"}, 5450, tool, "High-carbon steel, full tang, pakkawood handle."},
		{"End-grain cutting board", []string{"acacia", "maple", "walnut"}, 4900, board, "Kind to edges, with a juice groove and rubber feet."},
		{"Stackable glass storage set", []string{"6 pieces", "10 pieces", "18 pieces"}, 2499, box, "Borosilicate glass with snap lids that keep the soup in."},
		{"Stoneware mug 12 oz, set of 4", []string{"speckled white", "slate", "forest"}, 3200, cup, "Reactive glaze, so no two are quite alike."},
		{"French press", []string{"350 ml", "600 ml", "1 L"}, 2490, jug, "Double-walled steel and a fine mesh."},
		{"Paper coffee filters, pack of 100", []string{"size 01", "size 02", "size 03"}, 549, board, "Oxygen bleached, no taste of paper."},
		{"Digital kitchen scale", []string{"11 lb", "22 lb"}, 1495, gadget, "Reads to one gram, tares at a touch."},
	}},
	{Slug: "home-office", Name: "Home Office", lines: []line{
		{"Adjustable desk lamp", []string{"white", "graphite", "brass"}, 3999, lamp, "Five colour temperatures and a memory for your favourite."},
		{"Standing desk", []string{"48 x 24, oak", "55 x 28, oak", "60 x 30, walnut"}, 39900, board, "Two motors, four presets, and a drawer for the cables."},
		{"Ergonomic mesh chair", []string{"standard", "with headrest", "with headrest and lumbar pump"}, 24900, chair, "Breathes, tilts and rolls quietly."},
		{"Dot grid notebook A5", []string{"navy", "ochre", "clay", "set of 3"}, 1150, book, "192 numbered pages of 100 gsm paper that lies flat."},
		{"Gel pens 0.5 mm, pack of 12", []string{"black", "blue", "assorted"}, 1099, tool, "Quick-drying, and refillable."},
		{"Monitor arm", []string{"single", "dual"}, 4590, lamp, "Gas spring, up to 20 lb a screen."},
		{"Felt desk pad", []string{"24 x 14", "36 x 17"}, 2190, board, "Merino felt with a cork back."},
		{"Desk organizer", []string{"bamboo", "steel mesh", "walnut"}, 2490, box, "Pens, post and the phone, in their places."},
		{"Label maker", []string{"handheld", "Bluetooth"}, 2999, gadget, "Prints on 12 mm tape, no ink to buy."},
	}},
	{Slug: "electronics", Name: "Electronics", lines: []line{
		{"Wireless over-ear headphones", []string{"black", "sand", "noise cancelling, black"}, 7999, headphones, "Forty hours on a charge, folds flat."},
		{"USB-C charger", []string{"30 W", "65 W, 2 ports", "100 W, 4 ports"}, 2290, gadget, "Gallium nitride: small, cool and quick."},
		{"Braided USB-C cable", []string{"3 ft", "6 ft", "10 ft"}, 899, cable, "Rated for 100 W and ten thousand bends."},
		{"Portable power bank", []string{"10,000 mAh", "20,000 mAh"}, 2599, gadget, "Charges a phone twice, or a laptop once."},
		{"Bluetooth speaker", []string{"teal", "charcoal", "coral"}, 4900, speaker, "Rain-proof, floats, and plays for a day."},
		{"27 inch monitor", []string{"QHD", "4K", "4K, USB-C hub"}, 22900, screen, "Matte panel, height adjustable, factory calibrated."},
		{"Laptop 14 inch", []string{"16 GB, 512 GB", "32 GB, 1 TB"}, 104900, screen, "A full day of battery and a keyboard that lasts."},
		{"Mechanical keyboard", []string{"75 %, quiet switches", "full size, tactile switches"}, 8900, gadget, "Hot-swappable switches, double-shot keycaps."},
		{"E-reader 7 inch", []string{"16 GB", "32 GB", "32 GB, with cover"}, 13900, screen, "Reads like paper, for weeks."},
		{"Smart plug", []string{"single", "pack of 2", "pack of 4"}, 1290, gadget, "Timers, and a meter for what it uses."},
		{"Webcam 1080p", []string{"standard", "with ring light"}, 4499, gadget, "Privacy shutter and two microphones."},
	}},
	{Slug: "outdoors", Name: "Sports & Outdoors", lines: []line{
		{"Insulated water bottle", []string{"18 oz", "24 oz", "32 oz", "40 oz"}, 2195, bottle, "Cold for a day, hot for half of one."},
		{"Two-person backpacking tent", []string{"three season", "four season"}, 18900, tent, "Up in three minutes, packs to the size of a loaf."},
		{"Down sleeping bag", []string{"30 °F", "15 °F"}, 15900, bag, "650-fill duck down, responsibly sourced."},
		{"Trekking poles, pair", []string{"aluminium", "carbon"}, 3999, tool, "Cork grips and lever locks."},
		{"Headlamp 400 lumen", []string{"rechargeable", "battery"}, 2999, lamp, "Red light for the tent, full beam for the path."},
		{"Yoga mat 5 mm", []string{"plum", "moss", "stone"}, 3400, board, "Natural rubber that grips when it gets hard."},
		{"Adjustable dumbbells, pair", []string{"5-25 lb", "5-52 lb"}, 19900, tool, "Ten pairs in the room of one."},
		{"Daypack 22 L", []string{"black", "rust", "spruce"}, 5900, bag, "Laptop sleeve, rain cover, and a place for the keys."},
	}},
	{Slug: "home", Name: "Home & Living", lines: []line{
		{"Linen duvet cover", []string{"full, natural", "queen, natural", "king, natural", "queen, dusk blue"}, 8900, box, "Stone-washed flax, softer every year."},
		{"Beeswax candle, pair", []string{"10 inch", "12 inch"}, 1400, candle, "Hand dipped; burns ten hours without a drip."},
		{"Terracotta planter", []string{"6 inch", "8 inch", "10 inch"}, 1650, plant, "With a saucer, and a hole where it belongs."},
		{"Wool throw blanket", []string{"herringbone grey", "tartan green"}, 6400, box, "Woven from recycled wool."},
		{"Robot vacuum", []string{"basic", "with mop", "with self-emptying base"}, 19900, speaker, "Maps the flat and stays off the balcony."},
		{"Waffle bath towels, set of 2", []string{"white", "clay"}, 3600, box, "Light, thirsty, quick to dry."},
		{"LED light bulbs, pack of 4", []string{"soft white", "daylight"}, 1199, bulb, "60 W equivalent, 15,000 hours."},
	}},
	{Slug: "toys", Name: "Toys & Games", lines: []line{
		{"Wooden train set", []string{"34 pieces", "60 pieces", "100 pieces"}, 3499, box, "Beech wood tracks that fit the other brands'."},
		{"Jigsaw puzzle", []string{"500 pieces, harbour", "1000 pieces, night sky", "1000 pieces, herbs"}, 1599, board, "Linen finish, and a poster to cheat with."},
		{"Strategy board game", []string{"2-4 players", "2-6 players"}, 3995, box, "Taught in ten minutes, argued about for years."},
		{"Plush fox", []string{"small", "large"}, 1290, ball, "Machine washable, which matters."},
		{"Building bricks", []string{"300 pieces", "900 pieces"}, 2490, box, "In a tub with a lid that a child can open."},
		{"Playing cards", []string{"single deck", "twin pack"}, 650, book, "Linen finish, for long evenings."},
		{"Watercolour set", []string{"12 pans", "24 pans"}, 1190, board, "With a brush and a mixing lid."},
	}},
	{Slug: "books", Name: "Books", lines: []line{
		{"The Salt Road: a novel", []string{"paperback", "hardcover"}, 1399, book, "Three sisters, one ferry, and a letter that came late."},
		{"Bread in Five Steps", []string{"paperback", "hardcover"}, 1895, book, "Fifty loaves, no bread machine."},
		{"A Field Guide to Garden Birds", []string{"paperback", "spiral bound"}, 1650, book, "Four hundred species, drawn from life."},
		{"Maps of Imaginary Islands", []string{"hardcover", "signed hardcover"}, 3400, book, "An atlas of places nobody has been to."},
		{"Practical Bicycle Repair", []string{"paperback", "spiral bound"}, 2150, book, "For the stand, with pages that survive grease."},
		{"Cooking with Coffee", []string{"paperback", "hardcover"}, 1750, book, "From rubs to tiramisu."},
	}},
	{Slug: "pets", Name: "Pet Supplies", lines: []line{
		{"Orthopaedic dog bed", []string{"medium", "large", "extra large"}, 4999, bag, "Memory foam and a cover that zips off."},
		{"Grain-free dry cat food", []string{"4 lb", "12 lb"}, 1899, bag, "Salmon and peas, and nothing to argue with."},
		{"Clumping cat litter", []string{"14 lb", "28 lb"}, 1249, bag, "Dust free, unscented."},
		{"Rope toy, 3 knots", []string{"small", "large"}, 890, cable, "Cotton, for tugging."},
		{"Automatic feeder", []string{"4 L", "6 L, with camera"}, 5499, jar, "Six meals a day, with your voice."},
	}},
	{Slug: "grocery", Name: "Grocery", Grocery: true, lines: []line{
		{"Organic bananas", []string{"bunch of 5", "bunch of 8"}, 179, banana, "Fair trade, ripening on the way."},
		{"Honeycrisp apples", []string{"each", "3 lb bag"}, 449, fruit, "Crisp and sweet, from the valley."},
		{"Avocados, Hass", []string{"each", "bag of 4"}, 129, avocado, "Ripe in a day or two."},
		{"Baby spinach", []string{"5 oz", "10 oz"}, 349, bag, "Washed three times."},
		{"Whole milk", []string{"half gallon", "gallon"}, 329, carton, "From pastured cows."},
		{"Oat milk, barista", []string{"32 oz", "6 x 32 oz"}, 449, carton, "Foams, and does not split."},
		{"Free-range eggs", []string{"dozen", "18 count"}, 489, ball, "Large, brown."},
		{"Sourdough loaf", []string{"whole", "sliced"}, 595, bread, "Baked this morning."},
		{"Salted butter", []string{"8 oz", "1 lb"}, 449, box, "Cultured cream, sea salt."},
		{"Extra virgin olive oil", []string{"500 ml", "1 L", "3 L tin"}, 1190, bottle, "First cold press, from one estate."},
		{"Whole bean coffee, medium roast", []string{"12 oz", "2 lb", "5 lb"}, 1299, bag, "Chocolate, almond, a little orange."},
		{"Ground coffee, dark roast", []string{"12 oz", "2 lb"}, 1199, bag, "For the moka pot and the early shift."},
		{"Earl Grey tea bags", []string{"50 count", "100 count"}, 599, box, "With real bergamot oil."},
		{"Spaghetti no. 5", []string{"1 lb", "pack of 6"}, 189, box, "Bronze cut, so that the sauce stays on."},
		{"San Marzano tomatoes", []string{"14 oz can", "28 oz can", "case of 12"}, 279, can, "Whole, peeled, with basil."},
		{"Chickpeas", []string{"15 oz can", "pack of 8"}, 129, can, "No salt added."},
		{"Basmati rice", []string{"2 lb", "10 lb"}, 699, bag, "Aged for two years."},
		{"Peanut butter, smooth", []string{"16 oz", "40 oz"}, 499, jar, "Peanuts and salt. That is the list."},
		{"Wildflower honey", []string{"12 oz", "24 oz"}, 899, jar, "Raw, unfiltered."},
		{"Dark chocolate 72 %", []string{"bar", "pack of 5"}, 349, board, "Single origin, stone ground."},
		{"Sparkling water, lime", []string{"8 cans", "24 cans"}, 499, can, "Nothing but bubbles."},
		{"Greek yoghurt, plain", []string{"5.3 oz", "32 oz"}, 159, jar, "Strained, ten per cent."},
		{"Cheddar, aged 18 months", []string{"8 oz", "2 lb"}, 699, board, "Sharp, with crystals."},
		{"Rolled oats", []string{"18 oz", "42 oz"}, 329, can, "Whole grain, quick in the morning."},
		{"Baby carrots", []string{"1 lb", "2 lb"}, 169, bag, "Peeled and washed."},
		{"Maple syrup, amber", []string{"8 oz", "16 oz", "32 oz"}, 990, bottle, "From one sugar bush in Vermont."},
		{"Vanilla ice cream", []string{"pint", "1.5 qt"}, 549, jar, "With specks to prove it."},
	}},
}
