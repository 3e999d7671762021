// Vue waits for a component whose setup is asynchronous.
import { createApp } from "vue";
import { load } from "./article.js";
import { template } from "./template.js";

const Article = { async setup() { return { a: await load() }; }, template };
createApp({
  components: { Article },
  template: `<Suspense><Article /><template #fallback>Loading…</template></Suspense>`,
}).mount("#app");
