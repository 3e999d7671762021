package page_test

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// insert types a text into the focused field, as a keyboard or an input method does. It ends a
// composition with the text.
func insert(text string) chromedp.Action { return input.InsertText(text) }

// compose shows a text that an input method composes.
func compose(text string) chromedp.Action {
	n := int64(len([]rune(text)))
	return input.ImeSetComposition(text, n, n)
}

// drag moves the mouse from one place to another with the button pressed.
func drag(fromX, fromY, toX, toY float64) chromedp.Tasks {
	return chromedp.Tasks{lift(fromX, fromY), carry(fromX, fromY, toX, toY), drop(toX, toY)}
}

// lift presses the button of the mouse.
func lift(x, y float64) chromedp.Tasks {
	return chromedp.Tasks{input.DispatchMouseEvent(input.MouseMoved, x, y),
		input.DispatchMouseEvent(input.MousePressed, x, y).WithButton(input.Left).WithClickCount(1)}
}

// carry moves the mouse with the button pressed.
func carry(fromX, fromY, toX, toY float64) (all chromedp.Tasks) {
	for i := 1; i <= 10; i++ {
		part := float64(i) / 10
		all = append(all, input.DispatchMouseEvent(input.MouseMoved, fromX+(toX-fromX)*part,
			fromY+(toY-fromY)*part).WithButton(input.Left))
	}
	return all
}

// drop releases the button of the mouse.
func drop(x, y float64) chromedp.Action {
	return input.DispatchMouseEvent(input.MouseReleased, x, y).WithButton(input.Left).WithClickCount(1)
}
