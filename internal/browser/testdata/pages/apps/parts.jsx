// parts.jsx are the parts of an article for React.
export const Section = ({ of, className }) => (
  <section className={className}>
    <h2>{of.heading}</h2>
    {of.paragraphs.map((text) => <p key={text}>{text}</p>)}
  </section>
);

export const Tail = ({ a }) => (
  <>
    <ul>{a.list.map((item) => <li key={item}>{item}</li>)}</ul>
    <table>
      <tbody>{a.table.map((row) => <tr key={row[0]}>{row.map((cell) => <td key={cell}>{cell}</td>)}</tr>)}</tbody>
    </table>
  </>
);

export const Article = ({ a }) => (
  <article>
    <h1>{a.title}</h1>
    <p>{a.lead}</p>
    {a.sections.map((s) => <Section key={s.heading} of={s} />)}
    <Tail a={a} />
  </article>
);
