// Vue Router chooses the page by the fragment of the address.
import { createApp, h } from "vue";
import { createRouter, createWebHashHistory, RouterView } from "vue-router";

const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: "/", redirect: "/articles/7" },
    { path: "/articles/:id", component: () => import("./vue-router-part.js") },
  ],
});
createApp({ render: () => h(RouterView) }).use(router).mount("#app");
