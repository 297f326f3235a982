package sandbox

import (
	"fmt"
	"hash/fnv"
)

// shape is the drawing of a kind of product: SVG in a 200 by 200 box, drawn
// with the classes a (body), b (shade) and c (light).
type shape string

// The drawings.
const (
	cup        shape = `<path class="a" d="M52 74h84v42a34 34 0 0 1-34 34H86a34 34 0 0 1-34-34z"/><path class="n" d="M136 84h12a16 16 0 0 1 0 32h-13"/><path class="c" d="M62 84h12v34a18 18 0 0 0 6 14 26 26 0 0 1-18-24z"/><ellipse class="b" cx="94" cy="160" rx="50" ry="6"/>`
	jug        shape = `<path class="a" d="M66 70h64l14 84H52z"/><path class="n" d="M58 84C30 84 34 122 24 122M134 78c32-4 40 40 8 58"/><path class="b" d="M72 58h52v12H72z"/><circle class="b" cx="98" cy="52" r="6"/>`
	jar        shape = `<rect class="a" x="60" y="66" width="80" height="98" rx="14"/><rect class="b" x="66" y="44" width="68" height="24" rx="5"/><rect class="c" x="60" y="92" width="80" height="44"/>`
	pan        shape = `<path class="a" d="M34 96h100v22a28 28 0 0 1-28 28H62a28 28 0 0 1-28-28z"/><path class="b" d="M134 100h46v12h-46z"/><path class="b" d="M30 88h108v10H30z"/><circle class="b" cx="84" cy="80" r="8"/>`
	tool       shape = `<path class="a" d="M40 148 138 50c12 4 18 20 12 32L74 140z"/><path class="b" d="m34 154 24-24 14 14-24 24a9 9 0 0 1-14-14z"/><path class="c" d="m74 122 62-62 6 8-58 58z"/>`
	board      shape = `<rect class="a" x="44" y="50" width="112" height="100" rx="10"/><rect class="c" x="54" y="60" width="92" height="80" rx="6"/><path class="b" d="M54 96h92v6H54zM96 60h6v80h-6z"/>`
	box        shape = `<path class="a" d="m100 44 58 26v62l-58 26-58-26V70z"/><path class="b" d="m100 96 58-26v62l-58 26z"/><path class="c" d="m100 44 58 26-58 26-58-26z"/>`
	gadget     shape = `<rect class="a" x="54" y="48" width="92" height="104" rx="16"/><rect class="c" x="68" y="62" width="64" height="38" rx="6"/><circle class="b" cx="82" cy="122" r="9"/><circle class="b" cx="118" cy="122" r="9"/>`
	lamp       shape = `<path class="a" d="m84 40 56 32-44 22z"/><path class="n" d="m92 66-34 36 40 44"/><ellipse class="b" cx="98" cy="152" rx="42" ry="9"/><circle class="c" cx="122" cy="88" r="10"/>`
	chair      shape = `<rect class="a" x="62" y="36" width="70" height="70" rx="16"/><rect class="b" x="54" y="104" width="88" height="16" rx="8"/><path class="n" d="M98 120v26M66 160l32-16 32 16"/>`
	book       shape = `<path class="a" d="M56 44h84a8 8 0 0 1 8 8v104H64a8 8 0 0 1-8-8z"/><path class="b" d="M56 44h14v112H64a8 8 0 0 1-8-8z"/><path class="c" d="M84 66h48v10H84zM84 84h32v6H84z"/><path class="b" d="M64 150h84v6H64z"/>`
	headphones shape = `<path class="n" d="M46 118V98a54 54 0 0 1 108 0v20"/><rect class="a" x="36" y="104" width="32" height="52" rx="12"/><rect class="a" x="132" y="104" width="32" height="52" rx="12"/><rect class="b" x="60" y="110" width="8" height="40" rx="4"/><rect class="b" x="132" y="110" width="8" height="40" rx="4"/>`
	cable      shape = `<path class="n" d="M44 64c60-30 110 10 66 40s-60 30-50 48 60 10 80-8"/><rect class="a" x="28" y="56" width="26" height="18" rx="4"/><rect class="a" x="132" y="130" width="30" height="18" rx="4"/><circle class="c" cx="110" cy="104" r="9"/>`
	speaker    shape = `<circle class="a" cx="100" cy="100" r="58"/><circle class="b" cx="100" cy="100" r="42"/><circle class="a" cx="100" cy="100" r="30"/><circle class="c" cx="100" cy="100" r="13"/>`
	screen     shape = `<rect class="b" x="34" y="48" width="132" height="84" rx="8"/><rect class="a" x="42" y="56" width="116" height="68" rx="3"/><path class="c" d="M42 124V92l40-36h44z"/><path class="b" d="M92 132h16v16H92zM66 148h68v9H66z"/>`
	bottle     shape = `<path class="a" d="M84 60h32v16c16 8 18 20 18 32v46a10 10 0 0 1-10 10H76a10 10 0 0 1-10-10v-46c0-12 2-24 18-32z"/><rect class="b" x="84" y="36" width="32" height="20" rx="4"/><rect class="c" x="66" y="108" width="68" height="34"/>`
	tent       shape = `<path class="a" d="M100 46 168 152H32z"/><path class="b" d="m100 46 68 106h-40z"/><path class="c" d="m100 92 24 60H76z"/>`
	bag        shape = `<path class="a" d="M56 62h88l10 92a8 8 0 0 1-8 8H54a8 8 0 0 1-8-8z"/><path class="b" d="M56 46h88v18H56z"/><rect class="c" x="68" y="90" width="64" height="46" rx="6"/>`
	candle     shape = `<rect class="a" x="64" y="84" width="28" height="76" rx="4"/><rect class="b" x="108" y="70" width="28" height="90" rx="4"/><path class="c" d="M78 48c10 12 12 24 0 30-12-6-10-18 0-30zM122 34c10 12 12 24 0 30-12-6-10-18 0-30z"/>`
	plant      shape = `<path class="b" d="M62 108h76l-10 52H72z"/><path class="a" d="M100 108C60 100 54 66 60 46c24 10 40 28 40 62 0-40 14-58 42-66 4 30-6 58-42 66z"/><path class="c" d="M56 98h88v14H56z"/>`
	bulb       shape = `<path class="a" d="M100 38a44 44 0 0 1 24 80v14H76v-14a44 44 0 0 1 24-80z"/><path class="b" d="M78 136h44v8H78zM82 148h36v8H82z"/><path class="c" d="M80 72a28 28 0 0 1 20-16v8a20 20 0 0 0-14 12z"/>`
	ball       shape = `<ellipse class="a" cx="74" cy="116" rx="34" ry="42"/><ellipse class="a" cx="130" cy="122" rx="30" ry="37"/><ellipse class="c" cx="64" cy="98" rx="9" ry="14"/><ellipse class="b" cx="100" cy="162" rx="62" ry="6"/>`
	fruit      shape = `<path class="a" d="M100 72c-16-14-52-8-52 32 0 34 24 60 40 60 6 0 8-4 12-4s6 4 12 4c16 0 40-26 40-60 0-40-36-46-52-32z"/><path class="b" d="M104 66c0-18 12-30 30-30 0 18-12 30-30 30z"/><path class="c" d="M62 96c4-8 10-12 18-12-8 8-12 16-12 30-6-4-8-10-6-18z"/>`
	banana     shape = `<path class="a" d="M52 62c4 50 40 84 98 74l8 14c-62 30-128-16-122-86z"/><path class="c" d="M46 70c6 46 42 78 96 74-56 14-98-22-96-74z"/><path class="b" d="M36 64V44h14l2 18zM150 136l10-2 4 12-6 4z"/>`
	avocado    shape = `<path class="b" d="M100 36c18 0 24 20 32 40s22 28 22 50a54 54 0 0 1-108 0c0-22 14-30 22-50s14-40 32-40z"/><path class="c" d="M100 48c12 0 16 16 24 34s18 26 18 44a42 42 0 0 1-84 0c0-18 10-26 18-44s12-34 24-34z"/><circle class="a" cx="100" cy="122" r="22"/>`
	carton     shape = `<path class="a" d="M60 78h80v86H60z"/><path class="b" d="m60 78 18-26h44l18 26z"/><path class="b" d="M78 38h44v14H78z"/><path class="c" d="M60 100c26-14 54 14 80 0v38H60z"/>`
	bread      shape = `<path class="a" d="M36 112c-10-34 24-50 64-50s74 16 64 50v28a14 14 0 0 1-14 14H50a14 14 0 0 1-14-14z"/><path class="c" d="M68 84c6 8 8 18 8 28M98 80c6 8 8 20 8 32M128 84c6 8 8 18 8 28" style="fill:none;stroke:#ffffffb0;stroke-width:7;stroke-linecap:round"/>`
	can        shape = `<path class="a" d="M62 56h76v96c0 16-76 16-76 0z"/><ellipse class="b" cx="100" cy="56" rx="38" ry="11"/><path class="c" d="M62 84c20 10 56 10 76 0v38c-20 10-56 10-76 0z"/>`
)

// picture draws the product as an SVG document, in colours of its own.
func picture(p Product) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(p.ASIN)) // a hash takes whatever it is given
	hue := sum.Sum32() % 360
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" role="img">
<defs><radialGradient id="g"><stop offset="0" stop-color="hsl(%[1]d 40%% 98%%)"/><stop offset="1" stop-color="hsl(%[1]d 26%% 91%%)"/></radialGradient></defs>
<style>.a{fill:hsl(%[1]d 42%% 46%%)}.b{fill:hsl(%[1]d 46%% 30%%)}.c{fill:hsl(%[2]d 60%% 82%%)}.n{fill:none;stroke:hsl(%[1]d 46%% 30%%);stroke-width:10;stroke-linecap:round;stroke-linejoin:round}</style>
<rect width="200" height="200" fill="url(#g)"/><ellipse cx="100" cy="168" rx="62" ry="7" fill="#00000012"/>
%[3]s</svg>`, hue, (hue+40)%360, p.shape)
}
