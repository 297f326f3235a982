package catalog_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/event"
)

// encoded makes the message of an event of an operation, as the log and the
// relay would.
func encoded(t *testing.T, integration, operation string, payload event.Payload) (subject string, header map[string][]string, data []byte) {
	t.Helper()
	e, err := event.New(payload)
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Operation, e.Command, e.Caller, e.Account = integration, operation, "c 1", "caller-ü", "a1"
	e.Stream, e.Version, e.Seq, e.Time = event.CommandStream("c 1"), 2, 7, time.UnixMicro(1767323045678902).UTC()
	e.PrevHash = make([]byte, 32)
	e.Hash = event.Hash(e)
	subject, header, data, err = event.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	header["Nats-Msg-Id"] = []string{e.ID}
	return subject, header, data
}

// recorded is the JSON of a request or a result as the log has it: every
// sensitive value is sealed.
func recorded(t *testing.T, v any) json.RawMessage {
	t.Helper()
	contracts.EmptyLists(v)
	plain, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(plain, &tree); err != nil {
		t.Fatal(err)
	}
	sealed, err := json.Marshal(seal(reflect.TypeOf(v), tree))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func seal(t reflect.Type, tree any) any {
	if t.Kind() == reflect.Pointer {
		return seal(t.Elem(), tree)
	}
	if list, ok := tree.([]any); ok {
		for i := range list {
			list[i] = seal(t.Elem(), list[i])
		}
	}
	object, ok := tree.(map[string]any)
	for i := 0; ok && i < t.NumField(); i++ {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, given := object[name]
		switch {
		case f.Anonymous && name == "":
			seal(f.Type, object)
		case given && value != nil && f.Tag.Get("sensitive") == "true":
			object[name] = map[string]any{"sealed": "c2VhbGVk"}
		case given:
			object[name] = seal(f.Type, value)
		}
	}
	return tree
}

// bare takes everything optional out of a request or a result.
func bare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		bare(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			bare(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported():
			case strings.Contains(f.Tag.Get("json"), ",omit"):
				v.Field(i).SetZero()
			case f.Tag.Get("required") == "false" && f.Type.Kind() != reflect.Struct:
				v.Field(i).SetZero()
			default:
				bare(v.Field(i))
			}
		}
	}
}

func TestEveryEventOfAnOperationFitsTheDocument(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	for _, entry := range catalog.All() {
		info := entry.Info()
		whole, wholeResult := entry.New()
		contracts.FillExample(whole)
		contracts.FillExample(wholeResult)
		least, leastResult := entry.New()
		contracts.FillExample(least)
		contracts.FillExample(leastResult)
		bare(reflect.ValueOf(least))
		bare(reflect.ValueOf(leastResult))
		payloads := []event.Payload{
			event.CommandAccepted{Request: recorded(t, whole), Site: "sandbox", SiteHash: "ab"},
			event.CommandAccepted{Request: recorded(t, least)},
			event.CommandRejected{Kind: contracts.NotImplemented, Message: "no flow"},
			event.CommandCompleted{Outcome: event.Succeeded, Result: recorded(t, wholeResult), DurationMS: 12},
			event.CommandCompleted{Outcome: event.Succeeded, Result: recorded(t, leastResult)},
			event.CommandCompleted{Outcome: event.Succeeded, DurationMS: 12}, // too long for an event
			event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Unavailable, Message: "try again", Picture: "picture/c1", DurationMS: 12},
			event.SiteDrifted{Site: "sandbox", SiteHash: "ab", Flow: info.Name + ".json", Step: "5", Name: "extract", What: event.DriftOfRequiredField, Field: "orderId"},
		}
		if info.Effect != contracts.NoEffect {
			payloads = append(payloads,
				event.EffectStarted{Effect: info.Effect, Vars: json.RawMessage(`{"sealed":"c2VhbGVk"}`)},
				event.EffectStarted{Effect: info.Effect}, event.EffectConfirmed{}, event.EffectNotApplied{Message: "no"},
				event.EffectUnknown{Message: "who knows", Picture: "picture/c1", Answered: true}, event.EffectReconciled{Applied: true, By: event.ByFlow},
				event.EffectReconciled{By: event.ByFlow, ChecksAfterMS: []int64{600_000}}, event.EffectFoundLate{By: event.ByOperator},
				event.EffectFoundLate{By: event.ByFlow, Evidence: json.RawMessage(`{"sealed":"c2VhbGVk"}`), Result: recorded(t, wholeResult)},
			)
		}
		if _, session := wholeResult.(*contracts.Session); session {
			payloads = append(payloads, event.SessionOpened{Expires: time.Unix(1767323045, 0).UTC()},
				event.SessionAttached{Purpose: event.Control}, event.SessionDetached{Purpose: event.Control, Seconds: 1.5},
				event.SessionClosed{Reason: event.SessionExpired, Seconds: 60})
		}
		for _, payload := range payloads {
			subject, header, data := encoded(t, info.Integration, info.Name, payload)
			if err := s.read(subject, header, data); err != nil {
				t.Errorf("%s: %s does not fit: %v", subject, data, err)
			}
		}
	}
}

func TestEventsOfNoOperationFitTheDocument(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	for _, payload := range []event.Payload{
		event.AccountLinked{},
		event.AccountSignedIn{Site: "sandbox"},
		event.AccountNeedsSignIn{Site: "sandbox", Message: "refused"},
		event.AccountUnlinked{},
		event.AccountErased{},
		event.SiteDrifted{Site: "sandbox", SiteHash: "ab", Flow: "sign-in.json", Step: "2", Name: "change #user", What: event.DriftOfFirstChoice, FirstChoice: "#user", Winner: "aria/User"},
	} {
		subject, header, data := encoded(t, "marketplace", "", payload)
		if err := s.read(subject, header, data); err != nil {
			t.Errorf("%s: %s does not fit: %v", subject, data, err)
		}
	}
}

func TestDocumentRefusesWhatNoEventIs(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	accepted := `{"request":{"body":{"asin":{"sealed":"c2VhbGVk"}}}}`
	set := func(name, value string) func(map[string][]string) {
		return func(h map[string][]string) { h[name] = []string{value} }
	}
	keep := func(map[string][]string) {}
	for _, right := range []func(map[string][]string){
		keep, set("ce-replay", "r1"), func(h map[string][]string) { delete(h, "ce-prevhash"); delete(h, "Nats-Msg-Id") },
	} {
		if err := s.readBuyNow(t, right, accepted); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		damage func(map[string][]string)
		data   string
	}{
		"a sensitive value in clear":   {keep, `{"request":{"body":{"asin":"B0CX23V2ZK"}}}`},
		"a sealed value without text":  {keep, `{"request":{"body":{"asin":{"sealed":7}}}}`},
		"a sealed value not in base64": {keep, `{"request":{"body":{"asin":{"sealed":"…"}}}}`},
		"no request":                   {keep, `{}`},
		"no body":                      {keep, `{"request":{}}`},
		"a field that is not there":    {keep, `{"request":{"body":{"price":1}}}`},
		"not a record":                 {keep, `[]`},
		"no id":                        {func(h map[string][]string) { delete(h, "ce-id") }, accepted},
		"no command":                   {func(h map[string][]string) { delete(h, "ce-command") }, accepted},
		"another type":                 {set("ce-type", event.TypeCommandRejected), accepted},
		"another operation":            {set("ce-operation", "search"), accepted},
		"text that is not encoded":     {set("ce-caller", "ü"), accepted},
		"a seq of 0":                   {set("ce-seq", "0"), accepted},
		"half a hash":                  {set("ce-hash", "32cde7"), accepted},
		"a time of another form":       {set("ce-time", "yesterday"), accepted},
		"a header that is not there":   {set("ce-colour", "red"), accepted},
	} {
		if err := s.readBuyNow(t, tt.damage, tt.data); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := s.read("evt.marketplace.search.confirmed", nil, nil); err == nil {
		t.Error("a read has a confirmed effect")
	}
}

// readBuyNow checks the message of an accepted buy-now with other headers and
// another payload.
func (s *subscriber) readBuyNow(t *testing.T, damage func(map[string][]string), data string) error {
	t.Helper()
	subject, header, _ := encoded(t, "marketplace", "buy-now", event.CommandAccepted{Request: json.RawMessage(`{}`)})
	header = maps.Clone(header)
	damage(header)
	return s.read(subject, header, []byte(data))
}

// The examples of the document are events too.
func TestAsyncAPIExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	messages := at(s.tree, "#/components/messages").(map[string]any)
	for name, m := range messages {
		payload := s.compiler.MustCompile("https://gateway.example/asyncapi#/components/messages/" + name + "/payload")
		for _, example := range m.(map[string]any)["examples"].([]any) {
			if err := payload.Validate(example.(map[string]any)["payload"]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	headers := at(s.tree, "#/components/schemas/Headers").(map[string]any)
	example := map[string]any{}
	for name, property := range headers["properties"].(map[string]any) {
		example[name] = property.(map[string]any)["examples"].([]any)[0]
	}
	if err := s.compiler.MustCompile("https://gateway.example/asyncapi#/components/schemas/Headers").Validate(example); err != nil {
		t.Error(err)
	}
}
