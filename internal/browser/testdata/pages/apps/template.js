// template is the article for the frameworks with Vue's templates.
export const template = `<article v-if="a"><h1>{{ a.title }}</h1><p>{{ a.lead }}</p>
<section v-for="s in a.sections"><h2>{{ s.heading }}</h2><p v-for="text in s.paragraphs">{{ text }}</p></section>
<ul><li v-for="item in a.list">{{ item }}</li></ul>
<table><tr v-for="row in a.table"><td v-for="cell in row">{{ cell }}</td></tr></table></article>`;
