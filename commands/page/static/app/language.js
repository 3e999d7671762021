// The choice of the page's language.
import { setTexts } from "./texts.js";

const key = "techo-lang";

/** The languages of the page, in their own words. */
export const languages = { en: "English", ja: "日本語" };

/** Returns the language that was chosen in this browser, or "". */
export const chosenLanguage = () => localStorage.getItem(key) ?? "";

/** Loads the texts of a language. A choice is remembered in this browser. */
export async function loadTexts(wanted, { remember = false } = {}) {
  const language = wanted in languages ? wanted : "en";
  if (remember) localStorage.setItem(key, language);
  const answer = await fetch(`/page/texts?lang=${language}`);
  setTexts(language, await answer.json());
}
