package browser

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"code.dny.dev/ssrf"
)

// guard decides which addresses the pages of one context may be connected to:
// all that are public, and of the others those of the site's own origins. A
// site that stands inside the operator's network is reached by that, on its
// port and by its name, and nothing else there is.
type guard struct {
	mu  sync.Mutex
	own map[string]bool // hosts with ports
}

// admit lets pages reach the hosts of origins, besides those that they reach
// already, or instead of them.
func (g *guard) admit(origins []string, besides bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !besides || g.own == nil {
		g.own = map[string]bool{}
	}
	for _, origin := range origins {
		if u, err := url.Parse(origin); err == nil {
			g.own[wished(net.JoinHostPort(u.Hostname(), portOf(u)))] = true
		}
	}
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// wished is a host with its port in the one spelling in which they are
// compared.
func wished(address string) string {
	if literal, err := netip.ParseAddrPort(address); err == nil {
		return netip.AddrPortFrom(literal.Addr().Unmap(), literal.Port()).String()
	}
	return strings.ToLower(address)
}

var errPrivate = errors.New("browser: a private address that is not the site's own")

// control is net.Dialer's Control of a connection that a page wishes. It sees
// each address that is about to be dialled, after the name was looked up: what
// the name says at any other time does not count.
func (g *guard) control(wish string) func(network, address string, _ syscall.RawConn) error {
	wish = wished(wish)
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		ip := embedded(to.Addr())
		if isPublic(ip) {
			return nil
		}
		g.mu.Lock()
		own := g.own[wish]
		g.mu.Unlock()
		_, err = netip.ParseAddrPort(wish)
		if literal := err == nil; own && (literal || !tellsSecrets(ip)) {
			return nil
		}
		return errPrivate
	}
}

// embedded is the IPv4 address that an IPv6 address stands for, where it does:
// mapped, or behind a NAT64.
func embedded(ip netip.Addr) netip.Addr {
	ip = ip.WithZone("").Unmap()
	if ssrf.IPv6NAT64Prefix.Contains(ip) {
		bytes := ip.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return ip
}

var internet = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(secretive...))

// isPublic is for addresses that anybody on the internet has: none that IANA
// lists as of a special purpose.
func isPublic(ip netip.Addr) bool { return internet.SafeAddr(ip) == nil }

// secretive are the addresses besides the link-local ones at which clouds tell
// their machines secrets: Azure's is not even private.
var secretive = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("100.100.100.200/32"), // Alibaba
	netip.MustParsePrefix("192.0.0.192/32"),     // Oracle
	netip.MustParsePrefix("fd00:ec2::254/128"),  // Amazon
	netip.MustParsePrefix("fd20:ce::254/128"),   // Google
}

// tellsSecrets is for addresses that no name may lead to, not even the site's
// own: whoever answers for the name would get at the secrets of the machine
// that this runs on. Only a site whose origin is the bare address is there.
func tellsSecrets(ip netip.Addr) bool {
	if ip.IsLinkLocalUnicast() {
		return true
	}
	for _, prefix := range secretive {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}
