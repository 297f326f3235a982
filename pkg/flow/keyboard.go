package flow

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"
)

// key is keyDown and keyUp.
type key struct {
	down   bool
	name   string
	stroke stroke
}

func (a *key) about() string { return a.name }

func (a *key) read(o *object) {
	n := o.need("key")
	a.name = o.scalar(n, "key")
	var known bool
	if a.stroke, known = strokeOf(a.name); !known && n != nil {
		o.fault(n.line, "unknown key %q; a key is a character, a name such as Enter or ArrowDown, or a place on the keyboard such as KeyA or Digit1", a.name)
	}
}

func (a *key) play(ctx context.Context, p *player, s *Step) error {
	if err := p.watch(ctx, s); err != nil {
		return err
	}
	if err := p.refocus(ctx, s, a.down); err != nil {
		return err
	}
	if err := p.mayAct(ctx, s); err != nil {
		return err
	}
	return p.tab.Key(ctx, p.keys.event(a.stroke, a.down))
}

// refocus goes back to the field that a change has just set and left: who typed
// into it presses the next key there, Enter above all. Another element that has
// taken the focus keeps it.
func (p *player) refocus(ctx context.Context, s *Step, down bool) error {
	field := p.typed
	if field == nil || !down {
		return nil
	}
	p.typed = nil
	_, err := p.look(ctx, s, 0, *field)
	return err
}

// stroke is a key: where it is, and what it is called or types.
type stroke struct {
	key      string // a name, or the character that is typed
	shifted  string // the character with Shift held; empty: the same
	code     string // its place on the keyboard
	keyCode  int
	location int // 1 left, 2 right, 3 number pad
}

// strokes are the keys by name and by place, of a US keyboard as in
// @puppeteer/replay.
var strokes = map[string]stroke{}

// strokeOf finds a key by its name, its place or the character that it types.
// A character of another keyboard has no place on this one.
func strokeOf(name string) (stroke, bool) {
	if s, ok := strokes[name]; ok {
		return s, true
	}
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && r >= ' ' && r != utf8.RuneError && r != 0x7f {
		return stroke{key: name}, true
	}
	return stroke{}, false
}

// Keys that type: place, character, character with Shift, key code.
const typing = "Backquote ` ~ 192,Minus - _ 189,Equal = + 187,Backslash \\ | 220,BracketLeft [ { 219,BracketRight ] } 221," +
	"Semicolon ; : 186,Quote ' \" 222,Period . > 190,Slash / ? 191,Digit1 1 ! 49,Digit2 2 @ 50,Digit3 3 # 51,Digit4 4 $ 52," +
	"Digit5 5 % 53,Digit6 6 ^ 54,Digit7 7 & 55,Digit8 8 * 56,Digit9 9 ( 57,Digit0 0 ) 48"

// Keys that do something: name, place if it has another name, key code.
const doing = "Escape 27,Tab 9,Enter 13,Backspace 8,CapsLock 20,ContextMenu 93,PrintScreen 44,ScrollLock 145,Pause 19,PageUp 33," +
	"PageDown 34,Insert 45,Delete 46,Home 36,End 35,ArrowLeft 37,ArrowUp 38,ArrowRight 39,ArrowDown 40,NumLock 144,AltGraph 225," +
	"Power 0,Eject 0,Abort 3,Cancel Abort 3,Help 6,Clear Numpad5 12,Convert 28,NonConvert 29,Accept 30,ModeChange 31,Select 41,Open 43," +
	"Execute Open 43,Print 42,Props 247,CrSel Props 247,Attn 246,ExSel 248,EraseEof 249,Play 250,ZoomOut 251,AudioVolumeMute 173," +
	"AudioVolumeDown 174,AudioVolumeUp 175,VolumeDown 182,VolumeUp 183,MediaTrackNext 176,MediaTrackPrevious 177,MediaStop 178," +
	"MediaPlayPause 179,SoftLeft 0,SoftRight 0,Camera 44,Call 0,EndCall 95"

// Keys of the number pad that type: place, character, key code.
const numberPad = "NumpadMultiply * 106,NumpadAdd + 107,NumpadSubtract - 109,NumpadDecimal . 110,NumpadDivide / 111,NumpadEqual = 187," +
	"Numpad0 0 96,Numpad1 1 97,Numpad2 2 98,Numpad3 3 99,Numpad4 4 100,Numpad5 5 101,Numpad6 6 102,Numpad7 7 103,Numpad8 8 104,Numpad9 9 105"

// modifiers are CDP's bits of the keys that change what others mean, with
// their key codes on the left and the right.
var modifiers = map[string]struct{ bit, left, right int }{
	"Alt": {1, 18, 18}, "Control": {2, 17, 17}, "Meta": {4, 91, 92}, "Shift": {8, 16, 16},
}

func init() {
	add := func(s stroke, names ...string) {
		for _, name := range names {
			strokes[name] = s
		}
	}
	each := func(list string, add func(words []string, keyCode int)) {
		for item := range strings.SplitSeq(list, ",") {
			words := strings.Fields(item)
			keyCode, _ := strconv.Atoi(words[len(words)-1])
			add(words[:len(words)-1], keyCode)
		}
	}
	each(numberPad, func(w []string, keyCode int) { add(stroke{key: w[1], code: w[0], keyCode: keyCode, location: 3}, w[0]) })
	each(doing, func(w []string, keyCode int) {
		add(stroke{key: w[0], code: w[len(w)-1], keyCode: keyCode}, w[0])
	})
	// A character is the key of the main block, and shifted is a name as well.
	character := func(code, plain, shifted string, keyCode int) {
		add(stroke{key: plain, shifted: shifted, code: code, keyCode: keyCode}, code, plain)
		add(stroke{key: shifted, code: code, keyCode: keyCode}, shifted)
	}
	each(typing, func(w []string, keyCode int) { character(w[0], w[1], w[2], keyCode) })
	character("Comma", ",", "<", 188)
	for letter := 'a'; letter <= 'z'; letter++ {
		upper := strings.ToUpper(string(letter))
		character("Key"+upper, string(letter), upper, int(upper[0]))
	}
	for n := 1; n <= 24; n++ {
		add(stroke{key: "F" + strconv.Itoa(n), code: "F" + strconv.Itoa(n), keyCode: 111 + n}, "F"+strconv.Itoa(n))
	}
	for name, m := range modifiers {
		add(stroke{key: name, code: name + "Left", keyCode: m.left, location: 1}, name, name+"Left")
		add(stroke{key: name, code: name + "Right", keyCode: m.right, location: 2}, name+"Right")
	}
	add(stroke{key: " ", code: "Space", keyCode: 32}, "Space", " ")
	add(strokes["Enter"], "\r", "\n")
	add(strokes["NumpadDecimal"], "\x00") // as it is named without NumLock
	add(stroke{key: "Enter", code: "NumpadEnter", keyCode: 13, location: 3}, "NumpadEnter")
}

// text is what the key writes; empty for one that does something else.
func (s stroke) text() string {
	switch {
	case s.key == "Enter":
		return "\r"
	case utf8.RuneCountInString(s.key) == 1:
		return s.key
	}
	return ""
}

// keyboard is which keys are held down.
type keyboard map[string]bool

func (k keyboard) modifiers() int {
	bits := 0
	for code := range k {
		bits |= modifiers[strings.TrimSuffix(strings.TrimSuffix(code, "Left"), "Right")].bit
	}
	return bits
}

// event is the press or the release of a key, which the keyboard notes. One
// that is pressed again without a release repeats.
func (k keyboard) event(s stroke, down bool) *proto.InputDispatchKeyEvent {
	place := s.code
	if place == "" {
		place = s.key
	}
	repeats := down && k[place]
	if down {
		k[place] = true
	} else {
		delete(k, place)
	}
	held := k.modifiers()
	if s.shifted != "" && held&modifiers["Shift"].bit != 0 {
		s.key = s.shifted
	}
	event := &proto.InputDispatchKeyEvent{
		Type: proto.InputDispatchKeyEventTypeKeyUp, Key: s.key, Code: s.code, WindowsVirtualKeyCode: s.keyCode,
		Modifiers: held, AutoRepeat: repeats, IsKeypad: s.location == 3,
	}
	if s.location == 1 || s.location == 2 {
		event.Location = &s.location
	}
	if !down {
		return event
	}
	event.Type = proto.InputDispatchKeyEventTypeRawKeyDown
	if text := s.text(); text != "" && held&^modifiers["Shift"].bit == 0 {
		event.Type, event.Text, event.UnmodifiedText = proto.InputDispatchKeyEventTypeKeyDown, text, text
	}
	return event
}
