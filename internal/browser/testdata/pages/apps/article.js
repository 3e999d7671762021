// article.js loads the article in the language of the page.
export const lang = document.documentElement.lang;
export const load = async (part = "") => {
  const a = await (await fetch(`/${lang}.json${part}`)).json();
  document.title = a.title;
  return a;
};

// pause waits like a slow server.
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// html is the article as HTML.
export const html = (a) => `<h1>${a.title}</h1><p>${a.lead}</p>${a.sections.map(section).join("")}${tail(a)}`;

export const section = (s) => `<section><h2>${s.heading}</h2>${s.paragraphs.map((p) => `<p>${p}</p>`).join("")}</section>`;

export const tail = (a) => `<ul>${a.list.map((i) => `<li>${i}</li>`).join("")}</ul><table>${
  a.table.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table>`;
