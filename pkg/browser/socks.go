package browser

import (
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// The bytes of SOCKS 5 (RFC 1928), as far as Chromium speaks it: without a
// password, and to connect.
const (
	socksVersion = 5
	socksNoAuth  = 0
	socksConnect = 1

	socksIPv4   = 1
	socksDomain = 3
	socksIPv6   = 4

	wishGranted = 0
	wishFailed  = 1
)

var errNotSOCKS = errors.New("browser: the relay was not spoken to as Chromium does")

// greet shakes hands with Chromium and returns the address that it wishes to
// be connected to.
func greet(browser net.Conn) (address string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(browser, head[:]); err != nil {
		return "", err
	}
	if head[0] != socksVersion {
		return "", errNotSOCKS
	}
	if _, err := io.CopyN(io.Discard, browser, int64(head[1])); err != nil {
		return "", err
	}
	if _, err := browser.Write([]byte{socksVersion, socksNoAuth}); err != nil {
		return "", err
	}
	var wish [4]byte
	if _, err := io.ReadFull(browser, wish[:]); err != nil {
		return "", err
	}
	if wish[0] != socksVersion || wish[1] != socksConnect {
		return "", errNotSOCKS
	}
	host, err := readHost(browser, wish[3])
	if err != nil {
		return "", err
	}
	var port [2]byte
	if _, err := io.ReadFull(browser, port[:]); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port[0])<<8|int(port[1]))), nil
}

func readHost(browser net.Conn, kind byte) (string, error) {
	size := map[byte]int{socksIPv4: net.IPv4len, socksIPv6: net.IPv6len}[kind]
	if kind == socksDomain {
		var length [1]byte
		if _, err := io.ReadFull(browser, length[:]); err != nil {
			return "", err
		}
		size = int(length[0])
	}
	if size == 0 {
		return "", errNotSOCKS
	}
	host := make([]byte, size)
	if _, err := io.ReadFull(browser, host); err != nil {
		return "", err
	}
	if kind == socksDomain {
		return string(host), nil
	}
	return net.IP(host).String(), nil
}

// answerWish tells Chromium whether it is connected.
func answerWish(browser net.Conn, answer byte) error {
	if err := browser.SetDeadline(time.Now().Add(greetTimeout)); err != nil {
		return err
	}
	_, err := browser.Write([]byte{socksVersion, answer, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}
