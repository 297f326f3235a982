package flow

import "regexp"

// What the text of a selector tells by itself. These are rules of thumb, for
// warnings and proposals: no flow is played differently for them.

// volatiles are names that toolkits make up anew with each visit or release.
var volatiles = []*regexp.Regexp{
	regexp.MustCompile(`ember[0-9]+`),
	regexp.MustCompile(`\\?:[rR][0-9a-z]*\\?:|«r[0-9a-z]+»|_r_[0-9a-z]+_`), // React's useId, of its three generations
	regexp.MustCompile(`ext-(?:gen|comp|element)-?[0-9]+`),
	regexp.MustCompile(`react-select-[0-9]+-`),
	regexp.MustCompile(`\b(?:radix|headlessui|downshift|rc_select|rc-tabs|el-id|ui-id|gwt-uid|mui|react-aria|mat|cdk)[-_:][A-Za-z-]*[-_:]?[0-9]+`),
	regexp.MustCompile(`\b(?:yui_[0-9_]+[0-9]|dijit_[A-Za-z_]+_[0-9]+|j_idt[0-9]+)`),
	regexp.MustCompile(`ng-tns-c[0-9]+|_ngcontent-[a-z0-9-]+|data-v-[0-9a-f]{6,}`),
	regexp.MustCompile(`\.(?:(?:css|emotion|svelte|astro)-[a-z0-9]*[0-9][a-z0-9]*|jss[0-9]+)`),                    // classes made of styles
	regexp.MustCompile(`\.sc-[A-Za-z]{5,}`),                                                                       // styled components
	regexp.MustCompile(`\.[A-Za-z0-9-]+_[A-Za-z0-9-]*__[A-Za-z0-9_-]{5}\b|\._[A-Za-z0-9-]+_[a-z0-9]{5,6}_[0-9]+`), // CSS modules
	regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
}

// idOf finds the ids that a selector names.
var idOf = regexp.MustCompile(`#((?:[A-Za-z0-9_-]|\\.)+)|\bid\s*[*^$~|]?=\s*\\?["']([^"'\\]*)`)

// countedId is an id that ends in a number which is hardly a part of its
// name, or is a hash.
var countedID = regexp.MustCompile(`^(?:.*[^0-9])?[0-9]{3,}$|^[0-9a-f]*[0-9][0-9a-f]{10,}$|[-_:.][0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{6,}$`)

// Volatile returns the part of a selector that is likely to be another at the
// next visit or release, such as a counter in an id; empty when there is none.
// What a placeholder fills is not looked at.
func Volatile(selector string) string {
	plain := placeholders.ReplaceAllString(selector, "_")
	for _, v := range volatiles {
		if found := v.FindString(plain); found != "" {
			return found
		}
	}
	for _, id := range idOf.FindAllStringSubmatch(plain, -1) {
		if name := id[1] + id[2]; countedID.MatchString(name) {
			return name
		}
	}
	return ""
}

var placeholders = regexp.MustCompile(`\{\{.*?\}\}`)

// passwordWords are what fields for passwords are called.
var passwordWords = regexp.MustCompile(`[a-z]Pass(?:[^a-z]|$)|(?i:(?:^|[^a-z])pass(?:[^a-z]|$)|passw|passcode|passphrase|passkey|pwd|kennwort|contrase|mot de passe|motdepasse|senha|wachtwoord|salasana|lösenord|losenord|hasło|haslo|heslo|парол|密码|密碼|パスワード|비밀번호|secret)`)

// AsksForPassword reports whether a selector seems to name a field for a
// password.
func AsksForPassword(selector string) bool { return passwordWords.MatchString(selector) }
