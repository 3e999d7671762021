// petite-vue takes the page itself as its template.
import { createApp } from "petite-vue";
import { load } from "./article.js";
import { template } from "./template.js";

document.querySelector("#app").innerHTML = template;
const state = createApp({ a: null, async begin() { this.a = await load(); } });
document.querySelector("#app").setAttribute("v-scope", "");
document.querySelector("#app").setAttribute("@vue:mounted", "begin");
state.mount("#app");
