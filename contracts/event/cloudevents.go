package event

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SubjectAll matches the subjects of all events.
const SubjectAll = "evt.>"

// JetStreamName is the name of the JetStream stream that holds the copy of the
// log: message n is the event with Seq n, and none is ever taken out.
const JetStreamName = "EVENTS"

const (
	subjectRoot = "evt"
	specVersion = "1.0"
	contentType = "application/json"
	sourceRoot  = "/integrations/"
	timeFormat  = "2006-01-02T15:04:05.000000Z07:00"
)

// Subject returns the NATS subject of an event; the package comment says how
// it is built.
func (e Event) Subject() string {
	noun, verb, _ := strings.Cut(e.Type, ".")
	if e.Operation != "" {
		noun = e.Operation
	}
	return strings.Join([]string{subjectRoot, e.Integration, noun, verb}, ".")
}

// Encode turns an event of the log into a NATS message, following CloudEvents
// 1.0, NATS protocol binding 1.0.3, binary mode. The body is e.Data as it is;
// the header fits nats.Header. The event must be complete: only what is in
// the log, with its Seq, can be published.
//
// Besides the attributes of CloudEvents the header holds the extension
// attributes integration, operation, command, caller, account, stream,
// version, seq, prevhash and hash; empty ones are left out. Hashes are in
// lower-case hexadecimal. An event with a Replay has the attribute replay too,
// and goes to a subject of the sender's choice, which is never one of events.
func Encode(e Event) (subject string, header map[string][]string, data []byte, err error) {
	if err := validateRecorded(e); err != nil {
		return "", nil, nil, err
	}
	all := attributes(e)
	values := make([]string, len(all)) // the header's lists of one value each share it
	header = make(map[string][]string, len(all)+headerSpace)
	for i, attribute := range all {
		if attribute.value != "" {
			values[i] = escape(attribute.value)
			header[attribute.header] = values[i : i+1 : i+1]
		}
	}
	return e.Subject(), header, e.Data, nil
}

// headerSpace is room for what a sender adds to the header.
const headerSpace = 4

type attribute struct{ header, value string }

// attributes holds every context attribute of e in its canonical string form.
func attributes(e Event) []attribute {
	return []attribute{
		{prefix + "specversion", specVersion},
		{prefix + "id", e.ID},
		{prefix + "source", sourceRoot + e.Integration},
		{prefix + "type", e.Type},
		{prefix + "time", e.Time.UTC().Format(timeFormat)},
		{prefix + "datacontenttype", contentType},
		{prefix + "integration", e.Integration},
		{prefix + "operation", e.Operation},
		{prefix + "command", e.Command},
		{prefix + "caller", e.Caller},
		{prefix + "account", e.Account},
		{prefix + "stream", e.Stream},
		{prefix + "version", strconv.FormatInt(e.Version, 10)},
		{prefix + "seq", strconv.FormatInt(e.Seq, 10)},
		{prefix + "prevhash", hex.EncodeToString(e.PrevHash)},
		{prefix + "hash", hex.EncodeToString(e.Hash)},
		{prefix + "replay", e.Replay},
	}
}

// Decode is the reverse of Encode. Headers without the ce- prefix and
// attributes it does not know are ignored, as CloudEvents demands of a
// receiver; anything else that Encode would not have written is an error. An
// event has its own subject, but one that is replayed any other: so nothing
// under evt. is ever a replay. Decode does not check the hash: see VerifyStream.
func Decode(subject string, header map[string][]string, data []byte) (Event, error) {
	attrs, err := readAttributes(header)
	if err != nil {
		return Event{}, err
	}
	r := attributeReader{attrs: attrs}
	r.want("specversion", specVersion)
	r.mediaType("datacontenttype")
	e := Event{
		ID:          r.required("id"),
		Type:        r.required("type"),
		Time:        r.time("time"),
		Integration: r.required("integration"),
		Operation:   attrs["operation"],
		Command:     attrs["command"],
		Caller:      attrs["caller"],
		Account:     attrs["account"],
		Stream:      r.required("stream"),
		Version:     r.number("version"),
		Seq:         r.number("seq"),
		PrevHash:    r.bytes("prevhash"),
		Hash:        r.bytes("hash"),
		Replay:      attrs["replay"],
		Data:        data,
	}
	r.want("source", sourceRoot+e.Integration)
	if r.err != nil {
		return Event{}, r.err
	}
	if err := validateRecorded(e); err != nil {
		return Event{}, err
	}
	if err := validateSubject(e, subject); err != nil {
		return Event{}, err
	}
	return e, nil
}

// validateRecorded checks an event together with all that the log has filled in.
func validateRecorded(e Event) error {
	if err := validatePlaced(e); err != nil {
		return err
	}
	if !json.Valid(e.Data) {
		return fmt.Errorf("the data of event %s is not JSON", e.ID)
	}
	if e.Seq < 1 {
		return fmt.Errorf("event %s has seq %d; the first is 1", e.ID, e.Seq)
	}
	return validateAttribute("replay", e.Replay)
}

// validateSubject checks where an event came from.
func validateSubject(e Event, subject string) error {
	want := e.Subject()
	switch {
	case e.Replay == "" && subject != want:
		return fmt.Errorf("event %s came on subject %q; its own is %q", e.ID, subject, want)
	case e.Replay != "" && strings.HasPrefix(subject, subjectRoot+"."):
		return fmt.Errorf("event %s came on subject %q as part of a replay, which has no place under %s", e.ID, subject, SubjectAll)
	}
	return nil
}

// attributeReader reads typed attributes and keeps the first error.
type attributeReader struct {
	attrs map[string]string
	err   error
}

func (r *attributeReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *attributeReader) required(name string) string {
	v := r.attrs[name]
	if v == "" {
		r.fail("header %s%s is missing", prefix, name)
	}
	return v
}

func (r *attributeReader) want(name, value string) {
	if v := r.required(name); v != value {
		r.fail("header %s%s is %q, not %q", prefix, name, v, value)
	}
}

func (r *attributeReader) mediaType(name string) {
	v := r.required(name)
	if media, _, err := mime.ParseMediaType(v); err != nil || media != contentType {
		r.fail("header %s%s is %q, not %q", prefix, name, v, contentType)
	}
}

func (r *attributeReader) time(name string) time.Time {
	v := r.required(name)
	t, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		r.fail("header %s%s is %q, not a time of RFC 3339", prefix, name, v)
	}
	return t.UTC()
}

func (r *attributeReader) number(name string) int64 {
	v := r.required(name)
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v {
		r.fail("header %s%s is %q, not a whole number", prefix, name, v)
	}
	return n
}

func (r *attributeReader) bytes(name string) []byte {
	v := r.attrs[name]
	if v == "" {
		return nil
	}
	b, err := hex.DecodeString(v)
	if err != nil {
		r.fail("header %s%s is %q, not hexadecimal", prefix, name, v)
	}
	return b
}

// readAttributes picks the ce- headers, whose names are case-insensitive.
func readAttributes(header map[string][]string) (map[string]string, error) {
	attrs := make(map[string]string, len(header))
	for _, key := range slices.Sorted(maps.Keys(header)) {
		name, values := strings.ToLower(key), header[key]
		if name == "content-type" && len(values) > 0 &&
			strings.HasPrefix(strings.ToLower(values[0]), "application/cloudevents") {
			return nil, fmt.Errorf("the message is a CloudEvent in structured mode; binary mode is expected")
		}
		name, ours := strings.CutPrefix(name, prefix)
		if !ours {
			continue
		}
		if _, twice := attrs[name]; twice || len(values) != 1 {
			return nil, fmt.Errorf("header %s%s must be given once", prefix, name)
		}
		v, err := unescape(values[0])
		if err != nil {
			return nil, fmt.Errorf("header %s%s: %w", prefix, name, err)
		}
		attrs[name] = v
	}
	return attrs, nil
}
