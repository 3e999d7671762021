// Svelte compiles a component to plain code.
import { mount } from "svelte";
import Article from "./Article.svelte";

mount(Article, { target: document.querySelector("#app") });
