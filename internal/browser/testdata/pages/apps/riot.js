// Riot compiles a tag in the browser.
import { compileFromString, inject, mount } from "riot";
import { load } from "./article.js";


const source = `<river-riot><article if={state.a}><h1>{state.a.title}</h1><p>{state.a.lead}</p>
<section each={s in state.a.sections}><h2>{s.heading}</h2><p each={text in s.paragraphs}>{text}</p></section>
<ul><li each={item in state.a.list}>{item}</li></ul>
<table><tr each={row in state.a.table}><td each={cell in row}>{cell}</td></tr></table></article>
<script>export default { state: { a: null }, onMounted() { window.load().then((a) => this.update({ a })) } }</script>
</river-riot>`;
window.load = load;
inject(compileFromString(source).code, "river-riot", "./river-riot.riot");
document.querySelector("#app").innerHTML = "<river-riot></river-riot>";
mount("river-riot");
