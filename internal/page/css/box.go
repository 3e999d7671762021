package css

// boxReader returns the readers of places and sizes.
func boxReader(name string) reader {
	switch name {
	case "left":
		return reader{cssLeft, length}
	case "top":
		return reader{cssTop, length}
	case "right":
		return reader{cssRight, length}
	case "bottom":
		return reader{cssBottom, length}
	case "height", "block-size":
		return reader{cssHeight, length}
	case "max-height", "max-block-size":
		return reader{cssMaxHeight, length}
	case "flex", "flex-grow":
		return reader{cssFlex, func(text string) value {
			return hidesIf(text != "none" && text[0] != '0')
		}}
	case "width", "inline-size":
		return reader{cssWidth, length}
	case "max-width", "max-inline-size":
		return reader{cssMaxWidth, length}
	}
	return reader{}
}
