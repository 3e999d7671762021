// Vue makes an element with a shadow tree.
import { defineCustomElement } from "vue";
import { load } from "./article.js";
import { template } from "./template.js";

customElements.define("river-article", defineCustomElement({
  data: () => ({ a: null }),
  async mounted() { this.a = await load(); },
  styles: ["h1 { color: brown }"],
  template,
}));
document.querySelector("#app").append(document.createElement("river-article"));
