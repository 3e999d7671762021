// Knockout binds the page to observables.
import ko from "knockout";
import { load } from "./article.js";

document.querySelector("#app").innerHTML = `<article data-bind="with: a"><h1 data-bind="text: title"></h1>
<p data-bind="text: lead"></p>
<div data-bind="foreach: sections"><section><h2 data-bind="text: heading"></h2>
<!-- ko foreach: paragraphs --><p data-bind="text: $data"></p><!-- /ko --></section></div>
<ul data-bind="foreach: list"><li data-bind="text: $data"></li></ul>
<table><tbody data-bind="foreach: table"><tr data-bind="foreach: $data"><td data-bind="text: $data"></td></tr></tbody>
</table></article>`;
const a = ko.observable();
ko.applyBindings({ a }, document.querySelector("#app"));
load().then(a);
