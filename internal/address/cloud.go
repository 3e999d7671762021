package address

import (
	"net/netip"
	"strings"
)

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
