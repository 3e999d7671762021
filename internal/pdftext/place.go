package pdftext

import (
	"math"

	"github.com/ledongthuc/pdf"
)

// matrix maps coordinates of a text to coordinates of the page.
type matrix [6]float64

var upright = matrix{1, 0, 0, 1, 0, 0}

func matrixOf(array pdf.Value) matrix { return matrix(numbers(array)) }

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

func (m matrix) width() float64  { return math.Hypot(m[0], m[1]) }
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
	rules []rule
	path  []rule // not drawn yet
	x, y  float64
}

// rule is a horizontal line.
type rule struct{ from, to, y float64 }

// maxRules limits the lines of a page.
const maxRules = 100_000

// draw runs an operator of the graphics. page maps its coordinates to the page.
func (d *drawing) draw(operator string, operands []pdf.Value, page matrix) {
	at := func(i int) (x, y float64) {
		if i+1 >= len(operands) {
			return 0, 0
		}
		m := page.moved(number(operands[i]), number(operands[i+1]))
		return m[4], m[5]
	}
	switch operator {
	case "m":
		d.x, d.y = at(0)
	case "l":
		x, y := at(0)
		d.add(d.x, d.y, x, y)
		d.x, d.y = x, y
	case "re":
		if len(operands) != 4 {
			return
		}
		x, y := at(0)
		m := page.moved(number(operands[0])+number(operands[2]), number(operands[1])+number(operands[3]))
		d.add(x, y, m[4], y)
		d.add(x, m[5], m[4], m[5])
	case "n":
		d.path = d.path[:0]
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*":
		if len(d.rules) < maxRules {
			d.rules = append(d.rules, d.path...)
		}
		d.path = d.path[:0]
	}
}

func (d *drawing) add(x, y, toX, toY float64) {
	if math.Abs(y-toY) < 0.5 && math.Abs(x-toX) > 1 && len(d.path) < maxRules {
		d.path = append(d.path, rule{min(x, toX), max(x, toX), y})
	}
}
