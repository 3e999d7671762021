// Trusted Types: the policy of the page refuses to parse texts as HTML. FullCalendar
// measures some elements that it makes from HTML of its own, so every text that
// a library gives to the parser is sanitized first.
if (window.trustedTypes) {
  window.trustedTypes.createPolicy("default", {
    createHTML: (source) => window.DOMPurify.sanitize(source),
  });
}
