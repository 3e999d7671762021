// Package address classifies network addresses as public or not, including the
// unusual spellings of IPv4 that resolvers accept.
package address

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// reserved returns the blocks that are not part of the public internet (IANA's
// special-purpose registries, and multicast). Of IPv6 these are exceptions in the
// block of global addresses, which alone is public.
func reserved() []string {
	return []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "3fff::/20",
	}
}

// global is the block from which public addresses of IPv6 are assigned.
const global = "2000::/3"

// Public reports whether an address is on the public internet. An IPv6 address
// that embeds an IPv4 address is public if the IPv4 address is. The services of
// clouds for their own machines are not public.
func Public(a netip.Addr) bool {
	a = plain(a)
	if !a.IsValid() || a.Is6() && !within(a, global) || Cloud(a) != "" {
		return false
	}
	for _, block := range reserved() {
		if within(a, block) {
			return false
		}
	}
	return true
}

// plain returns the address of IPv4 that an address of IPv6 embeds for a translator or
// a tunnel, or else the address without its zone.
func plain(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a
	}
	b := a.As16()
	switch {
	case within(a, "64:ff9b::/96"), within(a, "::/96") && b[12] != 0: // NAT64, IPv4-compatible
		return netip.AddrFrom4([4]byte(b[12:]))
	case within(a, "2002::/16"): // 6to4
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

func within(a netip.Addr, block string) bool { return netip.MustParsePrefix(block).Contains(a) }

// Parse parses a host that is an address. It accepts the spellings of IPv4 that
// some resolvers accept: 127.1, 2130706433, 0x7f.1, 0177.0.0.1, and full-width
// digits.
func Parse(host string) (netip.Addr, bool) {
	host = strings.TrimSuffix(norm.NFKC.String(host), ".")
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := number(part)
		last := i == len(parts)-1
		if !ok || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			value |= n
		} else {
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// number parses a part of an IPv4 address: 0x… is hexadecimal, 0… octal.
func number(text string) (uint64, bool) {
	base := 10
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "0x"):
		base, lower = 16, lower[2:]
		if lower == "" {
			return 0, true
		}
	case len(lower) > 1 && lower[0] == '0':
		base = 8
	}
	if strings.HasPrefix(lower, "+") || strings.Contains(lower, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(lower, base, 33)
	return n, err == nil
}

// clouds returns the addresses and names at which clouds serve their own machines, with the
// names of the clouds. Some are outside of the private blocks. What answers there may have
// the credentials of the machine.
func clouds() []struct{ at, name string } {
	return []struct{ at, name string }{
		{"169.254.169.254/32", "AWS, Azure, Google Cloud, …"},
		{"169.254.170.0/24", "AWS"}, // of containers
		{"169.254.0.23/32", "Tencent Cloud"},
		{"169.254.10.10/32", "Tencent Cloud"},
		{"169.254.42.42/32", "Scaleway"},
		{"168.63.129.16/32", "Azure"},
		{"100.100.100.200/32", "Alibaba Cloud"},
		{"192.0.0.192/32", "Oracle Cloud"},
		{"fd00:ec2::/32", "AWS"},
		{"fd20:ce::254/128", "Google Cloud"},
		{"fd00:c1::a9fe:a9fe/128", "Oracle Cloud"},
		{"fd00:42::42/128", "Scaleway"},
		{"fd00:a9fe:a9fe::1/128", "Akamai"},
		{"fd00:100::100:200/128", "Alibaba Cloud"},
		{"169.254.0.0/16", "AWS, Azure, Google Cloud, …"}, // clouds have services at many link-local addresses
		{"fe80::/10", "OpenStack, …"},
		{"metadata", "Google Cloud"},
		{"metadata.google.internal", "Google Cloud"},
		{"metadata.goog", "Google Cloud"},
		{"instance-data", "AWS"},
		{"instance-data.ec2.internal", "AWS"},
		{"api.metadata.cloud.ibm.com", "IBM Cloud"},
		{"metadata.tencentyun.com", "Tencent Cloud"},
		{"metadata.exoscale.com", "Exoscale"},
		{"metadata.platformequinix.com", "Equinix"},
		{"metadata.packet.net", "Equinix"},
		{"rancher-metadata", "Rancher"},
	}
}

// Cloud returns the name of the clouds whose machines find a service at an address, such as
// the one that hands out credentials; "" for other addresses.
func Cloud(a netip.Addr) string {
	a = plain(a)
	for _, c := range clouds() {
		if block, err := netip.ParsePrefix(c.at); err == nil && block.Contains(a) {
			return c.name
		}
	}
	return ""
}

// CloudOf is Cloud for a host: an address in any spelling, or a name.
func CloudOf(host string) string {
	if a, ok := Parse(host); ok {
		return Cloud(a)
	}
	host = strings.TrimSuffix(host, ".")
	for _, c := range clouds() {
		if strings.EqualFold(c.at, host) {
			return c.name
		}
	}
	return ""
}
