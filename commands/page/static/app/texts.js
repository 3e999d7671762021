// Texts in the language of the person. They come from the same catalogue as those of
// the program. Literals in calls of text() and plural() are collected by a test, so
// they must be in double quotes.

let catalogue = {};
let language = "en";

/** Returns the language of the page: "en" or "ja". */
export const lang = () => language;

/** Uses the texts of a language, which are given as a map from the English ones. */
export function setTexts(name, texts) {
  language = name;
  document.documentElement.lang = name;
  catalogue = texts;
}

/** Translates an English text and fills in its verbs: %s, %d, %q or %[2]s. */
export function text(english, ...values) {
  let next = 0;
  const pattern = /%(?:\[(\d+)\])?([sdq%])/g;
  return (catalogue[english] ?? english).replace(pattern, (_, position, verb) => {
    if (verb === "%") return "%";
    if (position) next = Number(position) - 1;
    const value = values[next++];
    return verb === "q" ? (language === "ja" ? `「${value}」` : `"${value}"`) : String(value);
  });
}

/** Translates a count with the singular or the plural text. */
export const plural = (count, one, many) => (count === 1 ? text(one, count) : text(many, count));
