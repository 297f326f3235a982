package browser

import (
	"errors"
	"testing"
)

func TestAddressesThatAreNobodysOnTheInternetAreRefused(t *testing.T) {
	t.Parallel()
	for _, ip := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "239.1.1.1", "255.255.255.255",
		"168.63.129.16",
		"[::]", "[::1]", "[::127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]",
		"[64:ff9b::10.0.0.1]", "[64:ff9b::169.254.169.254]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001::1]",
		"[fc00::1]", "[fd00:ec2::254]", "[fe80::1%lo]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[100::1]",
	} {
		g := guard{}
		g.admit([]string{"http://shop.example", "http://10.0.0.1:81"}, false)
		if err := g.control("name.example:80")("tcp", ip+":80", nil); !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v", ip, err)
		}
	}
	for _, ip := range []string{"1.1.1.1", "100.128.0.1", "172.32.0.1", "[2606:4700::1]", "[::ffff:1.1.1.1]", "[64:ff9b::1.1.1.1]"} {
		if err := (&guard{}).control("name.example:80")("tcp", ip+":80", nil); err != nil {
			t.Errorf("%s: %v", ip, err)
		}
	}
}

func TestPrivateAddressesAreReachedAsTheSitesOwnAlone(t *testing.T) {
	t.Parallel()
	g := guard{}
	g.admit([]string{
		"https://Wiki.Corp", "http://10.0.0.7:8080", "http://[fd00::7]", "http://169.254.7.7", "http://[fe80::7]:81", "http://100.100.100.200",
	}, false)
	for name, test := range map[string]struct {
		wish, address string
		allowed       bool
	}{
		"its name":                                {"wiki.corp:443", "10.1.2.3:443", true},
		"its name, at this machine":               {"wiki.corp:443", "127.0.0.1:443", true},
		"its name on another port":                {"wiki.corp:80", "10.1.2.3:80", false},
		"a name below its own":                    {"db.wiki.corp:443", "10.1.2.3:443", false},
		"its name that leads to link-local":       {"wiki.corp:443", "169.254.169.254:443", false},
		"the same, written as IPv6":               {"wiki.corp:443", "[::ffff:169.254.169.254]:443", false},
		"the same, behind a NAT64":                {"wiki.corp:443", "[64:ff9b::169.254.169.254]:443", false},
		"its name that leads to a cloud's secret": {"wiki.corp:443", "[fd00:ec2::254]:443", false},
		"another cloud's":                         {"wiki.corp:443", "168.63.129.16:443", false},
		"its address":                             {"10.0.0.7:8080", "10.0.0.7:8080", true},
		"its address, written as IPv6":            {"[::ffff:10.0.0.7]:8080", "10.0.0.7:8080", true},
		"its address on another port":             {"10.0.0.7:22", "10.0.0.7:22", false},
		"its neighbour":                           {"10.0.0.8:8080", "10.0.0.8:8080", false},
		"another name of its address":             {"evil.example:8080", "10.0.0.7:8080", false},
		"its IPv6 address":                        {"[fd00::7]:80", "[fd00::7]:80", true},
		"its link-local address":                  {"169.254.7.7:80", "169.254.7.7:80", true},
		"its link-local IPv6 address":             {"[fe80::7]:81", "[fe80::7]:81", true},
		"its address among the secretive":         {"100.100.100.200:80", "100.100.100.200:80", true},
	} {
		if err := g.control(test.wish)("tcp", test.address, nil); (err == nil) != test.allowed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAdmissionReplacesWhatOtherLeasesDoNotNeed(t *testing.T) {
	t.Parallel()
	g := guard{}
	allowed := func(wish string) bool { return g.control(wish)("tcp", "10.0.0.1:80", nil) == nil }
	if allowed("old.example:80") {
		t.Error("a context without a tenant reaches a private address")
	}
	g.admit([]string{"http://old.example"}, true)
	g.admit([]string{"http://new.example"}, true)
	if !allowed("old.example:80") || !allowed("new.example:80") {
		t.Error("beside each other, both are reached")
	}
	g.admit([]string{"http://new.example"}, false)
	if allowed("old.example:80") || !allowed("new.example:80") {
		t.Error("the one that is gone is still reached, or the new one is not")
	}
}
