package zone

import "testing"

// TestPOSIX parses valid TZ values and refuses invalid ones.
func TestPOSIX(t *testing.T) {
	for value, want := range map[string]string{
		"JST-9": "UTC+09:00", "UTC+3": "UTC-03:00", "UTC0": "UTC", "GMT-0": "UTC", "<+0330>-3:30": "UTC+03:30",
		"IST-5:30": "UTC+05:30", "<-03>3": "UTC-03:00",
		"EST5EDT,M3.2.0,M11.1.0": "America/New_York", "EST5EDT": "America/New_York",
		"EST5EDT4,M3.2.0/2,M11.1.0/2:00:00":    "America/New_York",
		"PST8PDT,M3.2.0,M11.1.0":               "America/Los_Angeles",
		"CET-1CEST,M3.5.0,M10.5.0/3":           "Europe/Berlin",
		"MEZ-1MESZ,M3.5.0,M10.5.0/3":           "Europe/Berlin",
		"GMT0BST,M3.5.0/1,M10.5.0":             "Europe/London",
		"IST-1GMT0,M10.5.0,M3.5.0/1":           "Europe/Dublin",
		"WET0WEST,M3.5.0/1,M10.5.0":            "Europe/Lisbon",
		"AEST-10AEDT,M10.1.0,M4.1.0/3":         "Australia/Sydney",
		"NZST-12NZDT,M9.5.0,M4.1.0/3":          "Pacific/Auckland",
		"<-04>4<-03>,M9.1.6/24,M4.1.6/24":      "America/Santiago",
		"NST3:30NDT,M3.2.0,M11.1.0":            "America/St_Johns",
		"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0": "Australia/Lord_Howe",

		"": "", "JST": "", "JS-9": "", "9": "", "banana": "", "Asia/Tokyo": "", "JST-99": "", "JST-9:99": "",
		"JST-9:18:59": "", "JST--9": "", "JST-9,": "",
		"JST-9,M3.2.0,M11.1.0": "", "EST5EDT,M13.2.0,M11.1.0": "", "EST5EDT,M3.2.0": "", "EST5EDT,J0,J400": "",
		"EST5EDT,M3.2.0/,M11.1.0":    "",
		"EST5EDT,M3.2.0/999,M11.1.0": "", "EST5EDT,0,365": "", "EST5EDT,M3.2.0,M11.1.0,M1.1.1": "", "JST-9\n": "",
		"<>5": "", "EST5EDT,+3,J60": "",
	} {
		loc, ok := POSIX(value)
		got := ""
		if ok {
			got = loc.String()
			if again, found := Find(got); !found || again.String() != got {
				t.Errorf("%q: %q is not the name of a zone", value, got)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
