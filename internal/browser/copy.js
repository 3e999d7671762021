(limit) => {
  const inert = document.implementation.createHTMLDocument("");
  const dropped = new Set(["noscript", "template", "object", "embed"]);
  const frame = (from) => {
    const to = inert.createElement(from.localName);
    to.setAttribute("src", from.getAttribute("src") || "");
    return to;
  };
  const copy = (from, depth, shadow) => {
    if (["iframe", "frame"].includes(from.localName)) return frame(from);
    const to = inert.importNode(from, false);
    if (depth > 600) {
      to.textContent = from.textContent;
      return to;
    }
    let children = from.childNodes;
    if (from.shadowRoot) {
      [children, shadow] = [from.shadowRoot.childNodes, true];
    } else if (from.localName === "slot") {
      const assigned = from.assignedNodes({ flatten: true });
      if (assigned.length) children = assigned;
    }
    for (const child of children) {
      if (child.nodeType === Node.TEXT_NODE) {
        to.append(child.data);
      } else if (child.nodeType === Node.ELEMENT_NODE && !dropped.has(child.localName) &&
        !(child.localName === "style" && shadow) &&
        !(child.localName === "script" && !child.type.includes("json"))) {
        to.append(copy(child, depth + 1, shadow));
      }
    }
    return to;
  };
  const html = copy(document.documentElement, 0, false).outerHTML;
  return { URL: location.href, HTML: "<!DOCTYPE html>" + html.slice(0, limit) };
}
