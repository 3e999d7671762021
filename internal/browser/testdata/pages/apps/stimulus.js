// Stimulus fills an element with HTML from the server.
import { Application, Controller } from "@hotwired/stimulus";
import { html, load } from "./article.js";

Application.start().register("loader", class extends Controller {
  static targets = ["here"];
  async connect() { this.hereTarget.innerHTML = html(await load()); }
});
document.querySelector("#app").innerHTML = `<div data-controller="loader"><main data-loader-target="here"></main></div>`;
