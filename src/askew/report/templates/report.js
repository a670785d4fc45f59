"use strict";
// Draws each chart over its static picture. Where anything fails, the picture stays.
(() => {
  const specs = JSON.parse(document.getElementById("chart-data").textContent);
  const panels = [...document.querySelectorAll(".panel[data-chart]")];
  const views = new Map();
  const variable = /var\((--[a-z0-9-]+)\)/g;

  const coloured = (spec) => {
    const style = getComputedStyle(document.documentElement);
    const value = (_, name) => style.getPropertyValue(name).trim();
    return JSON.parse(JSON.stringify(spec).replace(variable, value));
  };

  const draw = async (panel) => {
    const spec = coloured(specs[panel.dataset.chart]);
    const live = panel.querySelector(".live");
    live.hidden = false;
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
    spec.background = getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
    try {
      views.get(panel)?.finalize();
      const drawn = await vegaEmbed(live, spec, {
        mode: "vega-lite", renderer: "svg", ast: true, actions: false, tooltip: { theme: "askew" },
      });
      views.set(panel, drawn);
      panel.classList.add("drawn");
      panel.querySelector(".save").hidden = false;
    } catch (problem) {
      live.hidden = true;
      panel.classList.remove("drawn");
      console.error(problem);
    }
  };

  // One after the other, so that a long report stays responsive while it draws; none before it
  // comes near the screen.
  let queue = Promise.resolve();
  const ask = (panel) => {
    seen.unobserve(panel);
    panel.dataset.asked = "";
    queue = queue.then(() => draw(panel)).then(() => new Promise((done) => setTimeout(done)));
    return queue;
  };
  const seen = new IntersectionObserver(
    (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => ask(e.target)),
    { rootMargin: "400px" },
  );
  const redraw = () => {
    panels.filter((p) => "asked" in p.dataset).forEach(ask);
    return queue;
  };

  const save = async (button) => {
    const panel = button.closest(".panel");
    const format = button.dataset.format;
    const link = document.createElement("a");
    link.href = await views.get(panel).view.toImageURL(format, 2);
    link.download = `${panel.dataset.chart.replace(/[^a-z0-9]+/gi, "-")}.${format}`;
    link.click();
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-format]");
    if (button) save(button);
  });
  // A transcript that is folded away in what is shown would be missing on paper.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:not([open], .rest)")];
    unfolded.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => unfolded.forEach((d) => { d.open = false; }));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  panels.forEach((p) => seen.observe(p));
  // Says when what is on the screen is drawn.
  setTimeout(() => queue.then(() => { document.documentElement.dataset.charts = "drawn"; }), 50);
})();
