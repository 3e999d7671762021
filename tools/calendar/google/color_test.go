package google

import "testing"

// TestGoogleColors maps the colors of CSS to Google's and back.
func TestGoogleColors(t *testing.T) {
	for _, c := range palette {
		if id := ColorID(colorOf(c.id)); id != c.id {
			t.Errorf("%s became %s", c.id, id)
		}
		if id := ColorID("#" + c.value); id != c.id {
			t.Errorf("its value: %s became %s", c.id, id)
		}
	}
	for color, id := range map[string]string{"Sage": "2", "red": "11", "blue": "9", "gray": "8", "yellow": "5",
		"forestgreen": "10", "#fff": "", "nope": ""} {
		if got := ColorID(color); got != id {
			t.Errorf("%s: %q, want %q", color, got, id)
		}
	}
	if n := len(cssColors()); n != 148 {
		t.Errorf("%d names", n)
	}
}
