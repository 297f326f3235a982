package draft

import (
	"fmt"
	"regexp"
	"strings"

	"integration.gateway/pkg/flow"
)

const flowSite = flow.SiteFile

// effectStep is the step before the one that acts.
func effectStep(kind string) *Step {
	return &Step{raw: "  # The point of no return: the step after this one acts.\n" +
		"  - {type: customStep, name: effect, parameters: {kind: " + kind + "}}\n"}
}

const reconcileStep = `  # Whether the effect happened. Evidence fills the fields of the result that are missing.
  - type: customStep
    name: extract
    parameters:
      fields:
        applied: {selector: "", as: exists}
        # evidence: {fields: {orderId: ".order-number"}}
`

// extractSteps are the steps that read a result, with empty selectors.
func extractSteps(result []Field) string {
	var b strings.Builder
	var single []Field
	for _, f := range result {
		if f.List && len(f.Fields) > 0 {
			extractStep(&b, f.Name, f.Required, f.Fields)
		} else {
			single = append(single, f)
		}
	}
	if len(single) > 0 {
		extractStep(&b, "", true, single)
	}
	return b.String()
}

// extractStep writes one step, as a comment when the result can do without it.
func extractStep(b *strings.Builder, into string, required bool, fields []Field) {
	mark := "  "
	if !required {
		mark = "  # "
	}
	b.WriteString(mark + "- type: customStep\n" + mark + "  name: extract\n" + mark + "  parameters:\n")
	if into != "" {
		fmt.Fprintf(b, "%s    into: %s\n%s    each: \"\"   # the rows; igw site probe proposes selectors\n", mark, into, mark)
	}
	b.WriteString(mark + "    fields:\n")
	writeFields(b, mark+"      ", fields)
}

// writeFields writes the required fields, and the others as comments below.
func writeFields(b *strings.Builder, indent string, fields []Field) {
	for _, required := range []bool{true, false} {
		for _, f := range fields {
			if f.Required == required {
				f.write(b, indent)
			}
		}
	}
}

func (f Field) write(b *strings.Builder, indent string) {
	if !f.Required && !strings.Contains(indent, "#") {
		indent += "# "
	}
	switch {
	case len(f.Fields) > 0 && f.List:
		fmt.Fprintf(b, "%s%s:\n%s  each: \"\"\n%s  fields:\n", indent, f.Name, indent, indent)
		writeFields(b, indent+"    ", f.Fields)
	case len(f.Fields) > 0:
		fmt.Fprintf(b, "%s%s:\n%s  fields:\n", indent, f.Name, indent)
		writeFields(b, indent+"    ", f.Fields)
	default:
		fmt.Fprintf(b, "%s%s: %s\n", indent, f.Name, f.source())
	}
}

// pictured are the names of fields that hold a picture's address.
var pictured = regexp.MustCompile(`(?i)image|photo|picture|avatar|thumbnail|logo`)

// source is an empty source of a field, read as its kind asks for.
func (f Field) source() string {
	switch f.Kind {
	case "integer", "money", "date":
		return `{selector: "", as: ` + f.Kind + `}`
	case "number":
		return `{selector: "", as: decimal}`
	case "date-time":
		return `{selector: "", as: datetime}`
	case "boolean":
		return `{selector: "", as: exists}`
	case "URL":
		if pictured.MatchString(f.Name) {
			return `{selector: "", attribute: src, as: url}`
		}
		return `{selector: "", attribute: href, as: url}`
	}
	return `""`
}
