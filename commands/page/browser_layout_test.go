package page_test

// layout is an expression that has the faults of the layout: problems, what is outside of the window, what
// overlaps, rows that are not below each other, and titles of which a part is hidden.
const layout = `(() => {
	const faults = [];
	const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
	const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
	const name = (e) => e.tagName.toLowerCase() + "." + e.className + " " + e.textContent.trim().slice(0, 40);
	const box = (e) => e.getBoundingClientRect();
	const open = document.querySelector("dialog[open]");
	const hidden = (e) => e.closest(".hidden, .skip, .notice-place") || (open && !open.contains(e));
	// What scrolls sideways, such as a table in prose, may be wider inside.
	const scrolls = (e) => {
		for (let p = e.parentElement; p; p = p.parentElement) {
			if (/auto|scroll/.test(getComputedStyle(p).overflowX) && p.scrollWidth > p.clientWidth) return true;
		}
		return false;
	};
	for (const e of all("#app *, main *")) {
		const r = box(e);
		if (!hidden(e) && r.width > 1 && (r.left < -1 || r.right > innerWidth + 1) && !scrolls(e)) {
			faults.push("outside: " + name(e));
		}
	}

	// Controls and lines of text overlap nothing but what contains them. From top to bottom, each is compared
	// with those that begin before it ends.
	const overlapping = (elements, apart) => {
		const boxes = elements.map((e) => ({ e, r: box(e) })).sort((a, b) => a.r.top - b.r.top);
		return boxes.flatMap((a, i) => {
			const found = [];
			for (let k = i + 1; k < boxes.length && boxes[k].r.top <= a.r.bottom - 1.5; k++) {
				const b = boxes[k];
				const clear = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left) < 1.5 ||
					Math.min(a.r.bottom, b.r.bottom) - b.r.top < 1.5;
				if (!clear && !apart(a.e, b.e)) found.push(name(a.e) + " | " + name(b.e));
			}
			return found;
		});
	};
	const pieces = all("button, a, input, select, textarea, summary, h1, h2, h3, p, dt, dd, pre, .label, .tag, .time")
		.filter((e) => !hidden(e) && !e.closest(".grid, .windowed"));
	const fixed = (e) => e.closest(".selection, .top");
	const apart = (a, b) => a.contains(b) || b.contains(a) || fixed(a) !== fixed(b);
	for (const pair of overlapping(pieces, apart)) faults.push("overlap: " + pair);
	for (const pair of overlapping(all(".grid .fc-event"), () => false)) faults.push("events overlap: " + pair);

	for (const list of all("ul.plain, ol.plain, .agenda, .results, .timeline, .windowed ul, dl.keys")) {
		const rows = [...list.children].filter(seen).map(box).sort((a, b) => a.top - b.top);
		rows.forEach((r, i) => {
			if (r.height < 14) faults.push("a flat row in " + name(list));
			const beside = list.matches(".keys");
			if (i && r.top < rows[i - 1].bottom - 1 && !beside) faults.push("rows overlap in " + name(list));
		});
	}

	for (const e of all(".problem")) faults.push("a problem: " + name(e));
	const titles = "h1, h2, h3, .title, button, nav a, .tag, .label, summary, .fc-daygrid-event .fc-event-title";
	const cut = (e) => getComputedStyle(e).overflow !== "visible" &&
		(e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2);
	// What is cut ends with an ellipsis.
	const ellipsis = (e) => getComputedStyle(e).webkitLineClamp !== "none" || getComputedStyle(e).textOverflow === "ellipsis";
	for (const e of all(titles)) {
		if (cut(e) && !ellipsis(e) && !hidden(e)) faults.push("clipped: " + name(e));
	}
	for (const e of all(".fc-daygrid-event .fc-event-title")) {
		if (box(e).height > 2.2 * parseFloat(getComputedStyle(e).lineHeight)) faults.push("a high title: " + name(e));
	}
	for (const e of all(".fc-timegrid-event")) {
		if (box(e).width < 34) faults.push("a narrow event: " + name(e));
	}
	// A link in a line of text is as high as the line, and a box is pressed by its label.
	for (const e of all("a[href], button, select, summary, [role=button], input")) {
		const target = e.matches("[type=checkbox], [type=radio]") ? (e.closest("label") ?? e) : e;
		const inline = getComputedStyle(target).display === "inline";
		if (!hidden(e) && !inline && Math.min(box(target).width, box(target).height) < 23.5) {
			faults.push("a small target: " + name(target));
		}
	}
	// The events of today are in the window, whatever waits above them.
	const today = document.querySelector("h1").textContent.match(/^(Today|今日)$/) && document.querySelector("main .agenda");
	if (today && innerWidth > 800 && box(today).top > 768) faults.push("today's events are at " + box(today).top);
	// The height of an event in a day is its time. With the focus it shows its whole title.
	const before = document.activeElement;
	for (const e of all(".fc-timegrid-event")) {
		const title = e.querySelector(".fc-event-title");
		if (box(title).height < 8) faults.push("no title: " + name(e));
		if (open) continue;
		e.focus({ focusVisible: true, preventScroll: true });
		const [outer, inner] = [box(e), box(title)];
		if (cut(title) || inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1) {
			faults.push("clipped with the focus: " + name(e));
		}
	}
	before?.focus({ preventScroll: true });
	return [...new Set(faults)];
})()`
