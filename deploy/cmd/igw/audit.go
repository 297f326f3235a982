package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/proof"
)

type auditCommands struct {
	Verify auditVerify `cmd:"" help:"Check every event, chain and checkpoint of the log, or of a bundle."`
	Export auditExport `cmd:"" help:"Write a bundle: events with all that proves them, to be verified anywhere."`
	NewKey auditNewKey `cmd:"" help:"Make a key for signing checkpoints."`
	Status auditStatus `cmd:"" help:"Show how the log, its copy and its checkpoints stand."`

	Recover auditRecover `cmd:"" help:"Restore what the log's database lost from the copy and the journal (needs DATABASE_URL of an administrator, and NATS_URL)."`
}

// trustFlags say whom and what an auditor trusts.
type trustFlags struct {
	Key  []string `env:"CHECKPOINT_VERIFIER" sep:"none" help:"Public key that you were given for this log. Without it and --kept, the log's own word for its key is taken." placeholder:"KEY"`
	Kept string   `help:"File with the last checkpoint that you have verified; made if it is missing, and brought up to date when all is well." placeholder:"FILE"`
}

// trust reads what is kept.
func (f trustFlags) trust() (proof.Trust, error) {
	if f.Kept == "" {
		return proof.Trust{Verifiers: f.Key}, nil
	}
	content, err := os.ReadFile(f.Kept)
	if errors.Is(err, os.ErrNotExist) {
		return proof.Trust{Verifiers: f.Key}, nil
	}
	if err != nil {
		return proof.Trust{}, fmt.Errorf("--kept: %w", err)
	}
	trust, err := proof.ReadKept(bytes.NewReader(content))
	if err != nil {
		return proof.Trust{}, fmt.Errorf("--kept: %s: %w", f.Kept, err)
	}
	if len(f.Key) > 0 {
		trust.Verifiers = f.Key
	}
	return trust, nil
}

// keep notes the last checkpoint of a log that was verified.
func (f trustFlags) keep(trust proof.Trust, report proof.Report) error {
	if f.Kept == "" || report.Last.Size == 0 || len(report.Unlinked) > 0 {
		return nil
	}
	var b bytes.Buffer
	if err := proof.WriteKept(&b, trust.Keep(report)); err != nil {
		return err
	}
	return replaceFile(f.Kept, b.Bytes())
}

type auditVerify struct {
	trustFlags
	Bundle string `help:"Check this bundle, without any database or network." placeholder:"FILE"`
}

func (c *auditVerify) Run(ctx context.Context, p *printer, con *console) error {
	trust, err := c.trust()
	if err != nil {
		return err
	}
	report, closed, err := c.verify(ctx, con, trust)
	if err != nil {
		return err
	}
	if err := c.keep(trust, report); err != nil {
		return err
	}
	if err := printReport(p, report, c.comparison(trust), closed); err != nil {
		return err
	}
	if len(report.Unlinked) > 0 {
		return fmt.Errorf("the bundle has no proof that leads on from the checkpoint of size %d in %s, so that it may be of another log; have it exported with --kept and that file", report.Unlinked[0], c.Kept)
	}
	return nil
}

// comparison says what a log that was verified was compared with.
func (f trustFlags) comparison(trust proof.Trust) string {
	switch {
	case f.Kept == "":
		return ""
	case len(trust.Kept) == 0:
		return "nothing to compare with until the next time"
	}
	return fmt.Sprintf("size %d", trust.Kept[len(trust.Kept)-1].Size)
}

// verify checks a bundle, or the log. Closed says what the log itself cannot
// prove while nobody has compared it with its copy.
func (c *auditVerify) verify(ctx context.Context, con *console, trust proof.Trust) (report proof.Report, closed string, err error) {
	if c.Bundle != "" {
		file, err := os.Open(c.Bundle)
		if err != nil {
			return proof.Report{}, "", fmt.Errorf("--bundle: %w", err)
		}
		defer file.Close()
		report, err = proof.VerifyBundle(bufio.NewReaderSize(&untilDone{ctx, file}, 1<<20), trust)
		return report, "", err
	}
	log, err := openLog(ctx, con)
	if err != nil {
		return proof.Report{}, "", err
	}
	defer log.close()
	progress, done := con.progress("verifying")
	defer done()
	if report, err = audit.Verify(ctx, log.Log, trust, progress); err != nil {
		return report, "", err
	}
	open, err := log.Open(ctx)
	if err == nil && !open {
		closed = "the log is closed: its end may be missing until it has been compared with its copy; see igw audit status"
	}
	return report, closed, err
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

func printReport(p *printer, r proof.Report, kept, closed string) error {
	what := "each as it was recorded, in its place, none missing"
	if !r.Whole {
		what = "each stands in the log as it was recorded; whether there are others, a part of the log cannot prove"
	}
	checked := fmt.Sprintf("%d, of %d streams: %s", r.Events, r.Streams, what)
	key := strings.Join(r.Verifiers, ", ")
	if r.OwnKeys {
		key += " (as the log itself says: compare it with the key that you were given)"
	}
	unsigned := ""
	if r.Unsigned > 0 {
		unsigned = fmt.Sprintf("%d events, behind the last checkpoint: their chains hold, and no key stands for them", r.Unsigned)
	}
	return p.record(r, "events verified", checked, "checkpoints", fmt.Sprint(r.Checkpoints), "last checkpoint", fmt.Sprintf("size %d", r.Last.Size),
		"kept from before", kept, "not signed yet", unsigned, "key", key, "closed", closed)
}

type auditExport struct {
	filterFlags
	Output string `arg:"" help:"File to write; it must not be there yet."`
	Kept   string `help:"An auditor's file of kept checkpoints: a bundle with filters then proves that the log has only grown since." placeholder:"FILE"`
}

func (c *auditExport) Run(ctx context.Context, con *console) (err error) {
	filter := c.filter()
	trust, err := trustFlags{Kept: c.Kept}.trust()
	if err != nil {
		return err
	}
	log, err := openLog(ctx, con)
	if err != nil {
		return err
	}
	defer log.close()
	file, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already; give another name", c.Output)
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	progress, done := con.progress("exporting")
	last, err := audit.Export(ctx, log.Log, out, filter, trust.Kept, progress)
	done()
	if err = errors.Join(err, out.Flush(), file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(c.Output)) // half a bundle proves nothing
	}
	_, err = fmt.Fprintf(con.stdout, "%s goes up to the checkpoint of size %d; verify it with igw audit verify --bundle\n", c.Output, last.Size)
	return err
}

type auditNewKey struct {
	Name string `arg:"" help:"Name of the log, such as gateway.example.com/log; it stands in every checkpoint."`
}

func (c *auditNewKey) Run(p *printer) error {
	private, verifier, err := proof.GenerateKey(c.Name)
	if err != nil {
		return err
	}
	return p.record(map[string]string{"CHECKPOINT_KEY": private, "CHECKPOINT_VERIFIER": verifier},
		"CHECKPOINT_KEY (secret, for the audit service)", private, "CHECKPOINT_VERIFIER (for auditors)", verifier)
}
