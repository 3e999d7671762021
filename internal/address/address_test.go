package address

import (
	"net/netip"
	"testing"
)

// TestEmbedded checks addresses of IPv6 that embed one of IPv4 or have a zone.
func TestEmbedded(t *testing.T) {
	for text, want := range map[string]bool{
		"64:ff9b::8.8.8.8": true, "2002:808:808::1": true, "::ffff:8.8.8.8": true, "2606:4700::1111": true,
		"64:ff9b::10.0.0.1": false, "2002:7f00:1::": false, "2002:a9fe:a9fe::": false, "::ffff:127.0.0.1": false,
		"::ffff:a9fe:a9fe": false, "::127.0.0.1": false, "fe80::1%eth0": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// TestRegistries checks the blocks of IANA's special-purpose registries that are not reachable
// globally, and of multicast: their first and last address, and the ones beside them.
func TestRegistries(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24",
		"192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
		"::1/128", "::/128", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32",
		"2001:2::/48", "2001:10::/28", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10",
		"ff00::/8", "4000::/3", "e000::/4",
	} {
		block := netip.MustParsePrefix(text)
		last := block.Addr().AsSlice()
		for bit := block.Bits(); bit < 8*len(last); bit++ {
			last[bit/8] |= 0x80 >> (bit % 8)
		}
		end, _ := netip.AddrFromSlice(last)
		if Public(block.Addr()) || Public(end) {
			t.Errorf("%s is public", block)
		}
	}
	for _, text := range []string{"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
		"126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
		"191.255.255.255", "192.0.1.0", "192.167.255.255", "192.169.0.0", "192.31.196.1", "192.52.193.1",
		"192.175.48.1", "192.88.98.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"2000::", "2001:200::", "2620:4f:8000::1", "3ffe:ffff::"} {
		if !Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is not public", text)
		}
	}
}

// TestCloud checks the addresses and names of the services that clouds have for their machines.
func TestCloud(t *testing.T) {
	for host, want := range map[string]string{
		"169.254.169.254": "AWS, Azure, Google Cloud, …", "169.254.169.123": "AWS, Azure, Google Cloud, …",
		"2852039166": "AWS, Azure, Google Cloud, …", "::ffff:169.254.169.254": "AWS, Azure, Google Cloud, …",
		"64:ff9b::a9fe:a9fe": "AWS, Azure, Google Cloud, …", "2002:a9fe:a9fe::1": "AWS, Azure, Google Cloud, …",
		"::a9fe:a9fe":   "AWS, Azure, Google Cloud, …",
		"169.254.170.2": "AWS", "[fd00:ec2::254]": "AWS", "fd00:ec2::23": "AWS", "instance-data": "AWS",
		"168.63.129.16": "Azure", "168.63.129.16.": "Azure", "0xa83f8110": "Azure", "64:ff9b::168.63.129.16": "Azure",
		"100.100.100.200": "Alibaba Cloud", "fd00:100::100:200": "Alibaba Cloud", "192.0.0.192": "Oracle Cloud",
		"fd00:c1::a9fe:a9fe": "Oracle Cloud", "fd20:ce::254": "Google Cloud",
		"metadata.google.internal": "Google Cloud", "METADATA.google.internal.": "Google Cloud",
		"fe80::a9fe:a9fe%eth0": "OpenStack, …",
		"169.254.42.42":        "Scaleway", "fd00:42::42": "Scaleway", "169.254.0.23": "Tencent Cloud",
		"metadata.tencentyun.com": "Tencent Cloud", "fd00:a9fe:a9fe::1": "Akamai",
		"168.63.129.17": "", "100.100.100.201": "", "fd00::1": "", "example.com": "",
		"metadata.example.com": "", "": "",
	} {
		if got := CloudOf(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
		if a, ok := Parse(host); ok && want != "" && Public(a) {
			t.Errorf("%s is public", host)
		}
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
