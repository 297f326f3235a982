package vault

import (
	"context"
	"fmt"
)

// maxPictures is how many pictures of an account are kept: enough for who
// mends a site, and few personal data.
const maxPictures = 20

// PictureName is the name under which the picture of a command is kept.
func PictureName(command string) string { return "picture/" + command }

// PutPicture stores the picture of a page on which a command broke off, as a
// secret of its account, in place of the oldest where there are too many. Its
// errors are those of Put.
func (v *Vault) PutPicture(ctx context.Context, account, command string, plaintext []byte) error {
	if err := v.Put(ctx, account, PictureName(command), plaintext); err != nil {
		return err
	}
	if _, err := v.pool.Exec(ctx, `select drop_old_pictures($1, $2)`, account, maxPictures); err != nil {
		return fmt.Errorf("drop old pictures of account %s: %w", account, err)
	}
	return nil
}

// Picture returns the picture of a command. Its errors are those of Get; unlike
// Get it does for who may read nothing but pictures.
func (v *Vault) Picture(ctx context.Context, account, command string) ([]byte, error) {
	return v.get(ctx, "pictures", account, PictureName(command))
}
