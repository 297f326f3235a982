package integration

import (
	"encoding/json"
	"reflect"
	"slices"

	"integration.gateway/contracts"
)

// maxRows is the most that a list holds when a request names no limit.
const maxRows = 500

// applyPaging leaves of a result's list what a request asks for: left names the
// fields that choose a part of it and that the flow has not applied itself. How
// many there are in all stays what the flow has read.
func applyPaging(left []string, request map[string]any, result any) {
	list := listOf(result)
	if len(left) == 0 || !list.IsValid() {
		return
	}
	number := func(name string) int {
		n, _ := request[name].(json.Number)
		if i, err := n.Int64(); err == nil && slices.Contains(left, name) {
			return int(i)
		}
		return 0
	}
	from, to := 0, list.Len()
	if slices.Contains(left, "page") || slices.Contains(left, "pageSize") {
		from, to = contracts.Paging{Page: number("page"), PageSize: number("pageSize")}.Window(to)
	}
	from = min(from+number("startIndex"), to)
	if slices.Contains(left, "limit") {
		limit := number("limit")
		if limit == 0 {
			limit = maxRows
		}
		to = min(to, from+limit)
	}
	list.Set(list.Slice(from, to))
}

// listOf returns the one list of a result; none when it has several, or is no
// struct with one.
func listOf(result any) (list reflect.Value) {
	v := reflect.ValueOf(result).Elem()
	if v.Kind() != reflect.Struct {
		return list
	}
	for i := range v.NumField() {
		if v.Field(i).Kind() != reflect.Slice || !v.Type().Field(i).IsExported() {
			continue
		}
		if list.IsValid() {
			return reflect.Value{}
		}
		list = v.Field(i)
	}
	return list
}
