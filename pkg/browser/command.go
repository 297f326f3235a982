package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// flags are Chromium's, besides the directory and the display. Its sandbox
// stays on.
var flags = []string{
	"--remote-debugging-pipe",
	"--no-first-run",
	"--no-default-browser-check",
	"--no-startup-window",
	"--disable-gpu",
	"--mute-audio",
	"--hide-scrollbars",
	"--window-size=1280,900", // what flows mostly ask for
	"--site-per-process",     // a frame of another site has a process of its own: the headless shell does not see to it by itself

	// Nothing that talks to the outside by itself.
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", // which would go past the relay
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",       // the same, as Chromium has it that is not the headless shell
	"--disable-sync",
	"--metrics-recording-only",
	"--no-pings",
	"--disable-breakpad",
	"--password-store=basic",

	// Renderers that nobody asked for would take most of the processor's time: a spare one, which Chromium keeps for one context
	// only and thus makes anew whenever contexts take turns in navigating; and one for each context's address bar.
	"--disable-features=SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",

	// Pages side by side all run at full speed, as if in front.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",

	// A click made here is not always taken for a person's.
	"--disable-popup-blocking",
	"--disable-prompt-on-repost",
}

// smallSharedMemory is below what Chromium needs in /dev/shm. Docker gives 64 MiB.
const smallSharedMemory = 512 << 20

func arguments(cfg Config, dir string) []string {
	args := append([]string{"--user-data-dir=" + filepath.Join(dir, "profile")}, flags...)
	if !cfg.Headed && !isHeadlessShell(cfg.Path) {
		args = append(args, "--headless=new")
	}
	var shm syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &shm); err != nil || shm.Blocks*uint64(shm.Bsize) < smallSharedMemory {
		args = append(args, "--disable-dev-shm-usage")
	}
	return args
}

// environment is all that Chromium gets to see of ours: no database's
// address, no token.
func environment(dir string) []string {
	env := []string{"HOME=" + dir, "TMPDIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_RUNTIME_DIR=" + dir}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "http_proxy", "https_proxy", "no_proxy"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// command is Chromium, ready to start: its debugging pipe on descriptors 3
// and 4, in a process group of its own, and as an ordinary user.
func command(cfg Config, dir string, in, out *os.File) *exec.Cmd {
	cmd := exec.Command(cfg.Path, arguments(cfg, dir)...) //nolint:noctx // process.stop ends it, and its children
	cmd.Env = environment(dir)
	if cfg.Headed {
		cmd.Env = append(cmd.Env, displayEnvironment(dir)...)
	}
	cmd.Dir = dir
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(cfg.UID), Gid: uint32(cfg.GID)}
	}
	return cmd
}
