package page_test

import (
	"context"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// insertText types a text into the focused field, as a keyboard or an input method does.
func insertText(ctx context.Context, text string) error { return input.InsertText(text).Do(ctx) }

// compose shows a text that an input method composes.
func compose(text string) chromedp.Action {
	n := int64(len([]rune(text)))
	return input.ImeSetComposition(text, n, n)
}

// drag moves the mouse from one place to another with the button pressed.
func drag(fromX, fromY, toX, toY float64) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		steps := []*input.DispatchMouseEventParams{
			input.DispatchMouseEvent(input.MouseMoved, fromX, fromY),
			input.DispatchMouseEvent(input.MousePressed, fromX, fromY).WithButton(input.Left).WithClickCount(1),
		}
		for i := 1; i <= 10; i++ {
			part := float64(i) / 10
			steps = append(steps, input.DispatchMouseEvent(input.MouseMoved, fromX+(toX-fromX)*part,
				fromY+(toY-fromY)*part).WithButton(input.Left))
		}
		steps = append(steps, input.DispatchMouseEvent(input.MouseReleased, toX, toY).WithButton(input.Left).
			WithClickCount(1))
		for _, s := range steps {
			if err := s.Do(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertDog ends a composition with a word.
func insertDog(ctx context.Context) error { return insertText(ctx, "犬") }
