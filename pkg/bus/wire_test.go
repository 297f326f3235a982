package bus

import "testing"

// FuzzDecodeStrictly checks that no input panics and that what is accepted is
// exactly one value.
func FuzzDecodeStrictly(f *testing.F) {
	for _, seed := range []string{`{"name":"a"}`, `{}`, `null`, `{"name":"a"}{}`, "\x00", `{"name":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v struct {
			Name string `json:"name"`
		}
		if decodeStrictly(data, &v) == nil && decodeStrictly(append(data, []byte(" 1")...), &v) == nil {
			t.Errorf("%q with data after it was accepted", data)
		}
	})
}
