// Draws each chart of a page from the spec beside it, in the page's colours, and again when the theme changes.
// Expressions are interpreted, not compiled, so that no content policy has to allow `eval`.
"use strict";
(() => {
  const DATA = new Set(["data", "datasets", "domain", "sort", "values"]); // what people named: never a colour

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  const coloured = (node) => {
    if (typeof node === "string") return /^\$[a-z0-9]+$/.test(node) ? colour(node.slice(1)) || node : node;
    if (Array.isArray(node)) return node.map(coloured);
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, DATA.has(key) ? value : coloured(value)]));
  };

  const draw = async (place) => {
    const spec = place.closest("figure").querySelector("script[data-spec]").textContent;
    const wanted = `${spec}|${colour("page")}`;
    if (place.dataset.drawn === wanted) return;
    place.dataset.drawn = wanted;
    if (place.view) place.view.finalize();
    const made = await vegaEmbed(place, coloured(JSON.parse(spec)), {
      actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true },
      loader: { load: () => Promise.reject(new Error("nothing is loaded")) },
    });
    place.view = made;
  };

  const all = async () => {
    await Promise.all([...document.querySelectorAll("[data-chart]")].map(draw));
    document.documentElement.dataset.drawn = "yes";
  };

  window.drawCharts = all;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  all();
})();
