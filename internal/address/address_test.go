package address

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.15.255.255": true, "172.32.0.1": true, "100.63.255.255": true,
		"100.128.0.1": true, "192.0.1.1": true, "223.255.255.255": true,
		"2606:4700::1111": true, "2400:cb00::1": true, "64:ff9b::8.8.8.8": true, "2002:808:808::1": true,
		"::ffff:8.8.8.8": true,
		"127.0.0.1":      false, "127.255.255.254": false, "0.0.0.0": false, "10.1.2.3": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false,
		"198.51.100.1": false, "203.0.113.9": false,
		"224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false, "::": false, "::1": false,
		"::ffff:127.0.0.1": false, "::ffff:a9fe:a9fe": false,
		"::127.0.0.1": false, "fc00::1": false, "fd12::1": false, "fe80::1": false, "fe80::1%eth0": false,
		"fec0::1": false, "ff02::1": false, "2001:db8::1": false,
		"2001::1": false, "64:ff9b::10.0.0.1": false, "64:ff9b:1::1": false, "2002:7f00:1::": false,
		"2002:a9fe:a9fe::": false, "100::1": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1",
		"0x7f000001": "127.0.0.1", "0177.0.0.1": "127.0.0.1",
		"0": "0.0.0.0", "0x7f.1": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "①②⑦.⓪.⓪.①": "127.0.0.1",
		"１２７．０．０．１": "127.0.0.1",
		"[::1]":     "::1", "::ffff:127.0.0.1": "::ffff:127.0.0.1", "10.65535": "10.0.255.255",
		"example.com": "", "127.0.0.1.5": "", "256.1.1.1": "", "1.2.3.256": "", "4294967296": "", "08.1": "", "": "",
		"1e3": "", "a": "", "127..1": "", "+1": "",
	} {
		got, ok := Parse(text)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q: %v, %v, want %q", text, got, ok, want)
		}
	}
}
