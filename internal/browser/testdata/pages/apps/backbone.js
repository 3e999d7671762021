// Backbone shows a model with a template of Underscore.
import Backbone from "backbone";
import _ from "underscore";
import { lang } from "./article.js";

const View = Backbone.View.extend({
  tagName: "article",
  template: _.template(`<h1><%- title %></h1><p><%- lead %></p><% sections.forEach(function (s) { %><section>
    <h2><%- s.heading %></h2><% s.paragraphs.forEach(function (text) { %><p><%- text %></p><% }) %></section><% }) %>
    <ul><% list.forEach(function (item) { %><li><%- item %></li><% }) %></ul>
    <table><% table.forEach(function (row) { %><tr><% row.forEach(function (cell) { %><td><%- cell %></td><% }) %></tr>
    <% }) %></table>`),
  initialize() { this.listenTo(this.model, "change", this.render); },
  render() {
    this.el.innerHTML = this.template(this.model.attributes);
    return this;
  },
});
const model = new (Backbone.Model.extend({ url: `/${lang}.json` }))();
document.querySelector("#app").append(new View({ model }).el);
model.fetch();
