// Angular compiles its templates in the browser.
import "@angular/compiler";
import { Component, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { load } from "./article.js";

class App {
  a = signal(null);
  constructor() { load().then((a) => this.a.set(a)); }
}
const Page = Component({
  selector: "#app",
  template: `@if (a(); as a) {<article><h1>{{ a.title }}</h1><p>{{ a.lead }}</p>
    @for (s of a.sections; track s) {<section><h2>{{ s.heading }}</h2>
      @for (text of s.paragraphs; track text) {<p>{{ text }}</p>}</section>}
    <ul>@for (item of a.list; track item) {<li>{{ item }}</li>}</ul>
    <table>@for (row of a.table; track row) {<tr>@for (cell of row; track cell) {<td>{{ cell }}</td>}</tr>}</table>
  </article>}`,
})(App);
bootstrapApplication(Page ?? App);
