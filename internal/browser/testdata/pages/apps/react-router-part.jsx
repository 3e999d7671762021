import { useEffect, useState } from "react";
import { useParams } from "react-router";
import { load } from "./article.js";
import { Article } from "./parts.jsx";

export default function Page() {
  const { id } = useParams();
  const [a, set] = useState(null);
  useEffect(() => void load("?id=" + id).then(set), [id]);
  return a && <Article a={a} />;
}
