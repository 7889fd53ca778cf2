// Charts come as pictures, which this makes live (tooltips, the page's own width) once somebody turns to one; those that
// have no picture yet it draws. In the page's colours, and again when the theme changes. Expressions are interpreted, not
// compiled, so that no content policy has to allow `eval`.
"use strict";
(() => {
  const DATA = new Set(["data", "datasets", "domain", "sort", "values"]); // what people named: never a colour
  const NARROW = 640; // pixels under which a picture's letters are too small
  const source = document.getElementById("charts").dataset.vega;
  let loading = null;

  const vega = () => {
    loading ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    return loading;
  };

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
    await vega();
    if (place.view) place.view.finalize();
    place.view = await vegaEmbed(place, coloured(JSON.parse(spec)), {
      actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true },
      loader: { load: () => Promise.reject(new Error("nothing is loaded")) },
    });
  };

  const all = async () => {
    const places = [...document.querySelectorAll("[data-chart]")];
    const now = places.filter((place) => place.dataset.drawn || !place.firstElementChild || place.clientWidth < NARROW);
    for (const place of places) {
      for (const turned of ["pointerenter", "touchstart"]) {
        place.addEventListener(turned, () => draw(place), { once: true, passive: true });
      }
    }
    await Promise.all(now.map(draw));
    document.documentElement.dataset.drawn = "yes";
  };

  window.drawCharts = all;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  all();
})();
