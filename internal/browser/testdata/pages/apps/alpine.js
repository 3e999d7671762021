// Alpine reads the attributes of the page.
import Alpine from "alpinejs";
import { load } from "./article.js";

document.querySelector("#app").innerHTML = `<div x-data="article"><template x-if="a"><article>
<h1 x-text="a.title"></h1><p x-text="a.lead"></p>
<template x-for="s in a.sections"><section><h2 x-text="s.heading"></h2>
<template x-for="text in s.paragraphs"><p x-text="text"></p></template></section></template>
<ul><template x-for="item in a.list"><li x-text="item"></li></template></ul>
<table><template x-for="row in a.table"><tr><template x-for="cell in row"><td x-text="cell"></td></template></tr></template>
</table></article></template></div>`;
Alpine.data("article", () => ({ a: null, async init() { this.a = await load(); } }));
Alpine.start();
