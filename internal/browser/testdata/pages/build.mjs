// build.mjs bundles each page's program into the folder "made".
import { readFile, readdir } from "node:fs/promises";
import { build } from "esbuild";
import { compile } from "svelte/compiler";

const svelte = {
  name: "svelte",
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const made = compile(source, { filename: path, css: "injected", customElement: source.includes("customElement") });
      return { contents: made.js.code, loader: "js" };
    });
  },
};

await build({
  entryPoints: (await readdir("apps")).filter((name) => /\.(js|jsx)$/.test(name)).map((name) => "apps/" + name),
  outdir: "made",
  bundle: true,
  splitting: true,
  format: "esm",
  jsx: "automatic",
  conditions: ["browser", "svelte"],
  define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false" },
  alias: { vue: "vue/dist/vue.esm-bundler.js", riot: "./node_modules/riot/esm/riot_compiler.js" },
  plugins: [svelte],
  logLevel: "error",
});
