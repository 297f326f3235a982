package contracts

import "reflect"

// EmptyLists replaces nil by an empty list wherever the struct that v points
// to has a list, so that no list is null in JSON. Optional lists that are empty
// are left out as before.
func EmptyLists(v any) { emptyLists(reflect.ValueOf(v)) }

func emptyLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			emptyLists(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				emptyLists(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // bytes are not a list in JSON
		}
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			emptyLists(v.Index(i))
		}
	default: // holds no list
	}
}
