package pdftext

import (
	"math"
	"unicode/utf8"
)

// matrix maps coordinates of a text to coordinates of the page.
type matrix [6]float64

var upright = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that maps by m and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

// moved returns the matrix of a text that begins elsewhere.
func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = m[4]+x*m[0]+y*m[2], m[5]+x*m[1]+y*m[3]
	return m
}

func (m matrix) height() float64 { return math.Hypot(m[2], m[3]) }

// turn returns the direction of text in whole degrees, from 0 to 359. 90 is upwards.
func (m matrix) turn() int {
	degrees := math.Round(math.Atan2(m[1], m[0]) * 180 / math.Pi)
	if math.IsNaN(degrees) {
		return 0
	}
	return (int(degrees) + 360) % 360
}

// along returns the distance of a place along the lines of text with a direction, and across
// them. The first line has the greatest distance across.
func along(turn int, x, y float64) (along, across float64) {
	switch turn { // exactly
	case 0:
		return x, y
	case 90:
		return y, -x
	case 180:
		return -x, -y
	case 270:
		return -y, x
	}
	sin, cos := math.Sincos(float64(turn) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// drawing collects the horizontal lines that a page draws: the rules of tables.
type drawing struct {
	rules          []rule
	x, y           float64
	startX, startY float64 // of the current part of a path
}

// rule is a horizontal line.
type rule struct{ from, to, y float64 }

func (d *drawing) move(x, y float64) { d.x, d.y, d.startX, d.startY = x, y, x, y }

func (d *drawing) line(x, y float64) {
	if math.Abs(y-d.y) < 0.5 && math.Abs(x-d.x) > 1 {
		d.rules = append(d.rules, rule{min(x, d.x), max(x, d.x), y})
	}
	d.x, d.y = x, y
}

const firstWide = '\u2e80' // the first of the characters as wide as the font's size

// widthOf guesses the width of a character.
func widthOf(r rune) float64 {
	switch {
	case r >= 0xff61 && r <= 0xff9f, r < firstWide: // half-width forms and letters
		return 0.5
	}
	return 1
}

func isWide(r rune) bool { return r >= firstWide && widthOf(r) == 1 && r != utf8.RuneError }
