package tools

// Image is an image in a result, which MCP sends as image content beside the document.
type Image struct {
	Type string // media type
	Data []byte
}

// Imager is implemented by results that may have an image. Image returns nil if there is
// none.
type Imager interface{ Image() *Image }
