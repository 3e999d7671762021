// Texts in the language of the person. They come from the same catalogue as those of
// the program. Literals in calls of text() and plural() are collected by a test, so
// they must be in double quotes.

const languageKey = "techo-lang";

let catalogue = {};
let language = "en";

/** The languages of the page, in their own words. */
export const languages = { en: "English", ja: "日本語" };

/** Returns the language of the page: "en" or "ja". */
export const lang = () => language;

/** Returns the language that was chosen in this browser, or "". */
export const chosenLanguage = () => localStorage.getItem(languageKey) ?? "";

/** Loads the texts of a language. A choice is remembered in this browser. */
export async function loadTexts(wanted, { remember = false } = {}) {
  language = wanted in languages ? wanted : "en";
  if (remember) localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
  const answer = await fetch(`/page/texts?lang=${language}`);
  catalogue = await answer.json();
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
