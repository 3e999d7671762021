// Vue compiles a template in the browser, with a transition around the article.
import { createApp } from "vue";
import { load } from "./article.js";
import { template } from "./template.js";

createApp({
  data: () => ({ a: null }),
  async mounted() { this.a = await load(); },
  template: `<Transition name="fade" appear>${template}</Transition>`,
}).mount("#app");
