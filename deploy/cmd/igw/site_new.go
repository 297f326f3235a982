package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/draft"
	"integration.gateway/pkg/flow/jsonschema"
)

type siteNew struct {
	Folder      string   `arg:"" help:"The folder to make; its name becomes the site's. Nothing that exists is overwritten."`
	Recordings  []string `arg:"" optional:"" name:"operation=recording" sep:"none" help:"Operations with the JSON files that Chrome's Recorder exported, such as search=search.json; or search.reconcile=orders.json, where one sees whether it happened."`
	Integration string   `required:"" help:"Integration that the site is for, such as marketplace."`
	SignIn      string   `type:"existingfile" placeholder:"RECORDING" help:"Recording of how one signs in. What was typed there is not copied."`
	Input       string   `placeholder:"JSON" help:"What was typed for which field of the request: '{\"query\":\"coffee\"}'. Where it was typed, the flows get {{ query }}."`
	siteAddress
}

func (c *siteNew) Run(p *printer) error {
	plan, err := c.plan()
	if err != nil {
		return err
	}
	made, err := draft.Make(plan)
	if err != nil {
		return err
	}
	made.Files[draft.SiteSchema], made.Files[draft.FlowSchema] = string(jsonschema.Site), string(jsonschema.Flow)
	if err := makeFolder(c.Folder, made.Files); err != nil {
		return err
	}
	_, _, err = siteFolder{Folder: c.Folder}.open()
	var faults flow.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	names := slices.Sorted(maps.Keys(made.Files))
	if p.json {
		return p.encode(map[string]any{"folder": c.Folder, "files": names, "notes": made.Notes, "faults": foundFaults(faults)})
	}
	fmt.Fprintf(p.w, "made %s: %s\n", c.Folder, strings.Join(names, ", "))
	printAll(p, "\nlook at these:", made.Notes)
	var left []string
	for _, f := range faults {
		line := f.String()
		if lines := strings.Split(made.Files[f.File], "\n"); f.Line > 0 && f.Line <= len(lines) {
			line += ": " + strings.TrimSpace(lines[f.Line-1])
		}
		left = append(left, line)
	}
	printAll(p, "\nleft to do, as igw site check "+c.Folder+" tells:", left)
	return nil
}

func printAll(p *printer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(p.w, title)
	for _, line := range lines {
		fmt.Fprintln(p.w, "  "+printable(line))
	}
}

// notInName is what a site's name has no room for.
var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// plan reads the recordings.
func (c *siteNew) plan() (draft.Plan, error) {
	plan := draft.Plan{Integration: c.Integration, BaseURL: c.BaseURL, Inputs: map[string]string{}}
	entries, err := operationsOf(c.Integration)
	if err != nil {
		return plan, err
	}
	if c.BaseURL != "" && !strings.HasPrefix(c.BaseURL, "http://") && !strings.HasPrefix(c.BaseURL, "https://") {
		return plan, fmt.Errorf("--base-url %q is not an http or https address", c.BaseURL)
	}
	absolute, err := filepath.Abs(c.Folder)
	if err != nil {
		return plan, err
	}
	if plan.Name = strings.Trim(notInName.ReplaceAllString(strings.ToLower(filepath.Base(absolute)), "-"), "-"); plan.Name == "" {
		return plan, fmt.Errorf("the folder's name %q gives no name for a site", c.Folder)
	}
	if c.Input != "" {
		fields := map[string]any{}
		if err := decodeObject(c.Input, &fields); err != nil {
			return plan, fmt.Errorf(`--input must be a JSON object such as {"query":"coffee"}: %w`, err)
		}
		plan.Inputs = draft.Flatten(fields)
	}
	if c.SignIn != "" {
		if plan.SignIn, err = readRecording(c.SignIn); err != nil {
			return plan, err
		}
	}
	plan.Operations, err = operationsFrom(c.Recordings, entries)
	if err == nil && plan.SignIn == nil && len(plan.Operations) == 0 {
		err = errors.New("no recording is given: name operations, such as search=search.json, or --sign-in")
	}
	return plan, err
}

// operationsFrom reads OPERATION=RECORDING, and OPERATION.reconcile=RECORDING.
func operationsFrom(arguments []string, entries map[string]contracts.Entry) ([]draft.Operation, error) {
	var operations, reconciled []draft.Operation
	for _, argument := range arguments {
		target, file, ok := strings.Cut(argument, "=")
		if !ok {
			return nil, fmt.Errorf("%q does not say of which operation it is the recording: write search=%s", argument, argument)
		}
		name, isReconcile := strings.CutSuffix(target, ".reconcile")
		entry := entries[name]
		if entry == nil {
			return nil, fmt.Errorf("%s: there is no operation %q; there are %s", argument, name, strings.Join(slices.Sorted(maps.Keys(entries)), ", "))
		}
		recording, err := readRecording(file)
		if err != nil {
			return nil, err
		}
		o := contractOf(entry)
		made := draft.Operation{Name: name, Effect: string(o.Effect), Recording: recording, Request: fieldTree(o.Request), Result: fieldTree(o.Result)}
		among := &operations
		if isReconcile {
			among = &reconciled
		}
		if slices.ContainsFunc(*among, func(o draft.Operation) bool { return o.Name == name }) {
			return nil, fmt.Errorf("%s is given twice", target)
		}
		*among = append(*among, made)
	}
	for _, r := range reconciled {
		i := slices.IndexFunc(operations, func(o draft.Operation) bool { return o.Name == r.Name })
		if i < 0 || r.Effect == "" {
			return nil, fmt.Errorf("%s.reconcile needs a recording of %s itself, and an effect to look for", r.Name, r.Name)
		}
		operations[i].Reconcile = r.Recording
	}
	return operations, nil
}

// maxRecording bounds a recording, in bytes; the largest have some hundred KiB.
const maxRecording = 8 << 20

func readRecording(path string) (*draft.Recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecording {
		return nil, fmt.Errorf("%s is no file, or larger than %d bytes", path, maxRecording)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	recording, err := draft.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return recording, nil
}

// fieldTree puts fields with dotted names into each other.
func fieldTree(list []contractField) []draft.Field {
	var tree []draft.Field
	for i, f := range list {
		if strings.Contains(f.Name, ".") {
			continue // inside of one before it
		}
		kind, isList := strings.CutPrefix(f.Kind, "list of ")
		node := draft.Field{Name: f.Name, Kind: kind, List: isList, Required: f.Required}
		var inner []contractField
		for _, g := range list[i+1:] {
			name, ok := strings.CutPrefix(strings.Replace(g.Name, f.Name+"[].", f.Name+".", 1), f.Name+".")
			if ok {
				g.Name = name
				inner = append(inner, g)
			}
		}
		node.Fields = fieldTree(inner)
		tree = append(tree, node)
	}
	return tree
}

// makeFolder makes a folder with these files, whole or not at all. It may be
// there already if it is empty.
func makeFolder(path string, files map[string]string) (err error) {
	exists := fmt.Errorf("%s exists and is not empty: nothing was written", path)
	if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
		return exists
	}
	parent := filepath.Dir(filepath.Clean(path))
	if err := os.MkdirAll(parent, 0o755); err != nil { //nolint:gosec // a site's folder holds no secrets; services read it as other users
		return err
	}
	unready, err := os.MkdirTemp(parent, ".igw-site-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(unready))
		}
	}()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(unready, name), []byte(text), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	if err := os.Chmod(unready, 0o755); err != nil { //nolint:gosec // as above
		return err
	}
	if err := os.Rename(unready, path); errors.Is(err, fs.ErrExist) || err != nil && strings.Contains(err.Error(), "not empty") {
		return exists // somebody was faster
	} else if err != nil {
		return err
	}
	return nil
}
