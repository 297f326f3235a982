package contracts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// FillExample fills the struct that v points to from the example tags of its
// fields: text as it stands, other kinds as JSON, a list of records with one
// record. The API document and tests show and use such values. A tag that
// does not fit its field is a mistake in a contract and panics.
func FillExample(v any) { fillExample(reflect.ValueOf(v).Elem()) }

func fillExample(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		if text, ok := field.Tag.Lookup("example"); ok {
			setExample(v.Field(i), field, text)
		} else {
			fillRecords(v.Field(i))
		}
	}
}

// fillRecords fills a field that holds a record, a pointer to one or a list.
func fillRecords(v reflect.Value) {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Struct:
		fillExample(v)
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		v.Set(reflect.New(t.Elem()))
		fillExample(v.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		v.Set(reflect.MakeSlice(t, 1, 1))
		fillExample(v.Index(0))
	}
}

func setExample(v reflect.Value, field reflect.StructField, text string) {
	t := field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String || t == reflect.TypeFor[time.Time]() {
		text = quote(text)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v.Addr().Interface()); err != nil {
		panic(fmt.Errorf("example of field %s: %w", field.Name, err))
	}
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(quoted)
}
