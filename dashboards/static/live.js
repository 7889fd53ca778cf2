// Keeps an open page fresh: asks for it again, and where it has changed puts the new content in place of the old.
// Nothing moves under the reader: scroll, focus, open details and charts stay. Stops while the tab is hidden, while
// somebody types or selects, and when paused.
"use strict";
(() => {
  const main = document.getElementById("main");
  const seconds = Number(main.dataset.live);
  if (!seconds) return;
  const button = document.getElementById("pause");
  let tag = null;
  let paused = false;

  button.hidden = false;
  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? "Resume updates" : "Pause updates";
    button.setAttribute("aria-pressed", String(paused));
  });

  const busy = () =>
    main.querySelector("input:focus, select:focus, textarea:focus") !== null || !getSelection().isCollapsed;

  const name = (node) => (node.id ? `#${CSS.escape(node.id)}` : node.href ? `a[href="${CSS.escape(node.getAttribute("href"))}"]` : null);

  const spec = (chart) => chart.closest("figure").querySelector("script[data-spec]").textContent;

  const take = (text) => {
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    if (!fresh || fresh.innerHTML === main.dataset.shown) return;
    main.dataset.shown = fresh.innerHTML;
    for (const details of main.querySelectorAll("details[id][open]")) {
      const again = fresh.querySelector(`#${CSS.escape(details.id)}`);
      if (again) again.open = true;
    }
    const [left, top] = [scrollX, scrollY]; // before charts leave, for the page is shorter without them
    for (const old of main.querySelectorAll("[data-chart]")) {
      const again = fresh.querySelector(`[data-chart="${CSS.escape(old.dataset.chart)}"]`);
      // The old drawing stays where it shows the same, and where there is no new one yet.
      if (again && (spec(again) === spec(old) || !again.firstElementChild)) again.replaceWith(old);
    }
    const held = main.contains(document.activeElement) ? name(document.activeElement) : null;
    const scrolled = [...main.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
    main.replaceChildren(...fresh.childNodes);
    main.querySelectorAll(".scroll").forEach((box, place) => { box.scrollLeft = scrolled[place] || 0; });
    scrollTo({ left, top, behavior: "instant" });
    if (held) main.querySelector(held)?.focus({ preventScroll: true });
    if (window.drawCharts) window.drawCharts();
  };

  const look = async () => {
    if (!paused && !document.hidden && !busy()) {
      try {
        const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
        if (answer.status === 200) {
          tag = answer.headers.get("ETag");
          const text = await answer.text();
          if (!busy()) take(text);
        }
      } catch { /* the server is away: the next look may find it */ }
    }
    setTimeout(look, 1000 * seconds);
  };

  setTimeout(look, 1000 * seconds);
})();
