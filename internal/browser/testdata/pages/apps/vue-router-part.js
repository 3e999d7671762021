import { load } from "./article.js";
import { template } from "./template.js";

export default {
  data: () => ({ a: null }),
  async created() { this.a = await load("?id=" + this.$route.params.id); },
  template,
};
