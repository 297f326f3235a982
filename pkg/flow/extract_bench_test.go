package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow"
)

// A page of 50 rows, of which 5 fields each are read.
const (
	rowsOfBench  = 50
	fieldsOfRows = `sku: "@data-sku", title: .title, link: {selector: a, as: url}, price: {selector: .price, as: money}, there: {selector: .stock, as: exists}`
	byHand       = `[...document.querySelectorAll('.card')].map(card => ({
		sku: card.dataset.sku,
		title: card.querySelector('.title')?.innerText.trim(),
		link: card.querySelector('a')?.href,
		price: card.querySelector('.price')?.innerText.trim(),
		there: Boolean(card.querySelector('.stock')),
	}))`
)

func pageOfRows() string {
	var b strings.Builder
	b.WriteString("<main id=rows>")
	for n := range rowsOfBench {
		_, _ = fmt.Fprintf(&b, `<div class=card data-sku="S%d"><p><a href="/dp/%[1]d"><span class=title>Item no. %[1]d</span></a><p class=price>$%[1]d.99</p><i class=stock>In stock</i></div>`, n)
	}
	return b.String() + "</main>"
}

// BenchmarkExtract plays a flow that extracts 50 rows of 5 fields on a warm
// page. It reports what its extract step takes, by the median, the same JavaScript written by
// hand and evaluated bare, and how much the first is of the second.
func BenchmarkExtract(b *testing.B) {
	const extracts = 5
	step := "  - {type: customStep, name: extract, parameters: {into: rows, each: .card, fields: {" + fieldsOfRows + "}}}\n"
	// A warm page: it is drawn, and the first extract has found it laid out.
	site, files := one("  - {type: navigate, url: /page}\n  - {type: waitForExpression, expression: \"new Promise(drawn => setTimeout(() => drawn(true), 200))\"}\n" + strings.Repeat(step, 1+extracts))
	s := newShop(b, "currency: USD\n"+site, files, map[string]string{"/page": pageOfRows()})
	loaded := s.load(nil)
	bare := proto.RuntimeEvaluate{Expression: byHand, ReturnByValue: true}
	var extract, hand []time.Duration
	for b.Loop() {
		result, trace, err := s.play(loaded, flow.Job{Operation: "op"})
		if err != nil || strings.Count(result, "sku") != rowsOfBench {
			b.Fatal(result, err)
		}
		for _, step := range trace.Steps[3:] {
			extract = append(extract, step.Took)
			started := time.Now()
			if answer, err := bare.Call(s.page); err != nil || len(answer.Result.Value.Arr()) != rowsOfBench {
				b.Fatal(answer, err)
			}
			hand = append(hand, time.Since(started))
		}
	}
	b.ReportMetric(median(extract), "ms/extract")
	b.ReportMetric(median(hand), "ms/by-hand")
	b.ReportMetric(median(extract)/median(hand), "×")
}

// median is in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e3
}
