// Svelte makes an element with a shadow tree.
import "./Element.svelte";

document.querySelector("#app").innerHTML = "<river-story></river-story>";
