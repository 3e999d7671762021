(() => {
  const page = document.scrollingElement;
  if (!page) return false;
  const boxes = [...document.querySelectorAll("body, body *")].filter((box) =>
    box !== page && box.clientHeight > innerHeight / 3 && box.scrollHeight > box.clientHeight + 10 &&
    /auto|scroll/.test(getComputedStyle(box).overflowY));
  let moved = false;
  for (const box of [page, ...boxes]) {
    const before = box.scrollTop;
    box.scrollBy({ top: 0.9 * box.clientHeight, behavior: "instant" });
    moved ||= box.scrollTop > before;
  }
  if (!moved) dispatchEvent(new Event("scroll"));
  return moved;
})()
