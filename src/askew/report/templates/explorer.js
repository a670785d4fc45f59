"use strict";
// Replies behind the page's numbers, the choice of models and tasks, and sorted columns. Whatever
// data brings becomes text, never markup; `#explore?task=…&model=…&<condition>=…` opens replies.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children.filter((child) => child !== ""));
    return made;
  };
  const counted = (n, one, several = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : several}`;
  const [dialog, list, pages, filters, search] = [
    byId("replies"), byId("replies-list"), byId("replies-pages"), byId("replies-filters"),
    make("input", { type: "search", placeholder: "question, answer, prompt, reply" }),
  ];
  const WORDS = ["wrong", "right", "partly right", "not scored"];
  const CLASSES = ["wrong", "right", "partly", "unscored"];
  const RESULTS = { flips: "flips", wrong: "wrong", right: "right", unread: "no answer read" };
  const A_PAGE = 20;

  const unpack = async (id) => {
    const packed = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
    const whole = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(whole).text());
  };
  const once = (work) => {
    const done = new Map();
    return (key) => done.get(key) ?? done.set(key, work(key)).get(key);
  };
  const chunk = once((number) => unpack(`replies-${number}`));
  const value = (column, at) => column.values[column.codes[at]];

  const start = async () => {
    const index = await unpack("replies-index");
    const n = index.tasks.reduce((sum, task) => sum + task.model.length, 0);
    const rows = new Array(n);
    let next = 0;
    for (const task of index.tasks) for (let at = 0; at < task.model.length; at++) rows[next++] = { task, at };
    // Flips first, then what is wrong, partly right, right, and not scored; of each, texts first.
    const rank = ({ task, at }) => {
      const verdict = task.verdict[at];
      const kind = verdict === 0 ? (task.flip[at] ? 0 : 1) : verdict === 2 ? 2 : verdict === 1 ? 3 : 4;
      return 2 * kind + (task.text[at] < 0);
    };
    const ranks = Array.from({ length: 10 }, () => []);
    rows.forEach((row) => ranks[rank(row)].push(row));
    const ordered = ranks.flat();
    const text = async ({ task, at }) => {
      const place = task.text[at];
      if (place < 0) return null;
      return (await chunk(Math.floor(place / index.chunk)))[place % index.chunk];
    };

    let state = {};
    let shown = [];
    let page = 0;
    let turn = 0;
    let opened = false;

    const query = (given) => new URLSearchParams(Object.entries(given).filter(([, v]) => v)).toString();
    const address = (given) => `#explore?${query(given)}`;
    const asked = ({ task, at }) => task.conditions
      .filter((c) => c.name !== "subset" && c.values.length > 1 && value(c, at))
      .map((c) => `${c.name.replaceAll("_", " ")}: ${c.labels[c.codes[at]]}`).join(" · ");
    const verdictOf = ({ task, at }) => {
      const verdict = task.verdict[at];
      const word = verdict === 0 && task.flip[at] ? "flips" : verdict === 2 ? value(task.score, at) : WORDS[verdict];
      return make("span", { className: `verdict is-${CLASSES[verdict]}` }, word);
    };
    const answerOf = ({ task, at }) => value(task.answer, at)
      ? make("bdi", {}, value(task.answer, at)) : make("em", {}, `no answer: ${value(task.outcome, at)}`);

    // Which rows a text is in; a column's different values are looked at once each.
    const holding = async (words) => {
      const wanted = words.toLowerCase();
      const holds = (one) => one.toLowerCase().includes(wanted);
      const hits = once((column) => column.values.map(holds));
      const chunks = [];
      for (let number = 0; byId(`replies-${number}`); number++) chunks.push(await chunk(number));
      const texts = chunks.flat().map((parts) => parts.some(holds));
      return ({ task, at }) => texts[task.text[at]]
        || [task.item, task.answer, task.sample].some((column) => hits(column)[column.codes[at]]);
    };

    const matching = async () => {
      const { task, model, result, q, item, ...conditions } = state;
      const number = index.models.findIndex(([label]) => label === model);
      const holds = q ? await holding(q) : null;
      const tests = new Map(index.tasks.map((one) => [one, Object.entries(conditions).flatMap(([name, wanted]) => {
        const column = one.conditions.find((c) => c.name === name);
        const code = column?.values.indexOf(wanted) ?? -1;
        // What no reply says, such as a level that only metrics have, chooses nothing.
        return code < 0 ? [] : [(at) => column.codes[at] === code];
      })]));
      return ordered.filter((row) => (!task || row.task.task === task)
        && (!model || row.task.model[row.at] === number)
        && (!item || value(row.task.item, row.at) === item)
        && (!result || (result === "flips" ? row.task.flip[row.at] && row.task.verdict[row.at] === 0
          : result === "unread" ? !value(row.task.answer, row.at) : row.task.verdict[row.at] === WORDS.indexOf(result)))
        && tests.get(row.task).every((test) => test(row.at)) && (!holds || holds(row)));
    };

    const side = (row, parts, other) => {
      const { task, at } = row;
      const wrong = task.verdict[at] === 0;
      const made = make("div", { className: `side ${task.verdict[at] === 1 ? "right" : wrong ? "wrong" : ""}` },
        make("p", { className: "condition" }, asked(row) || "as it is"),
        make("p", { className: "answer" }, verdictOf(row), " ", answerOf(row)));
      if (!parts) {
        made.append(make("p", { className: "note" }, "Prompt and reply are not in this file; the line below says where they are."));
      } else {
        const [prompt, reply, why] = parts;
        if (why) made.append(make("p", { className: "note" }, `How it was read: ${why}`));
        const words = new Set(other ? other[0].split(/\s+/) : []);
        const marked = other ? prompt.split(/(\s+)/).map((w) => (!w.trim() || words.has(w) ? w : make("mark", {}, w))) : [prompt];
        const told = (label, ...content) => [
          make("p", { className: "label" }, label),
          make("pre", { dir: "auto", tabIndex: 0, ariaLabel: label }, ...content)];
        made.append(...told("What was asked", ...marked), ...told("The reply", reply || "(empty)"));
      }
      const outcome = value(task.outcome, at);
      if (outcome !== "ok") made.append(make("p", { className: "note" }, `${outcome}: ${index.outcomes[outcome] ?? ""}`));
      const where = `sample ${value(task.sample, at)}, epoch ${value(task.epoch, at)}, of ${value(task.log, at)}`;
      made.append(make("p", { className: "note" }, `In inspect view: ${where}`));
      return made;
    };

    const detail = async (row, place) => {
      const { task, at } = row;
      const siblings = [];
      const subset = task.conditions.filter((c) => c.name === "subset");
      const question = [task.item, task.epoch, task.run, ...subset];
      for (let k = 0; k < task.model.length; k++) {
        if (k !== at && task.model[k] === task.model[at]
          && question.every((column) => column.codes[k] === column.codes[at])) siblings.push({ task, at: k });
      }
      const differ = (one) => task.verdict[one.at] !== task.verdict[at];
      siblings.sort((a, b) => differ(b) - differ(a) || (task.text[a.at] < 0) - (task.text[b.at] < 0));
      let compared = siblings.length && differ(siblings[0]) ? siblings[0] : null;
      const own = await text(row);
      const draw = async () => {
        const parts = compared && await text(compared);
        const sides = make("div", { className: `sides${compared ? "" : " one"}` }, side(row, own, parts));
        if (compared) sides.append(side(compared, parts, own));
        const others = siblings.map((one) => {
          const button = make("button", { type: "button", ariaPressed: String(one === compared) }, verdictOf(one), ` ${asked(one)}`);
          button.addEventListener("click", () => { compared = one === compared ? null : one; draw(); });
          return make("li", {}, button);
        });
        const expected = own?.[3] ? [make("p", { className: "note" }, "Expected: ", make("bdi", {}, own[3]))] : [];
        const more = others.length ? [make("p", { className: "label" }, "The same question, asked otherwise"), make("ul", { className: "others" }, ...others)] : [];
        place.replaceChildren(...expected, sides, ...more);
      };
      await draw();
    };

    const entry = (row) => {
      const { task, at } = row;
      const button = make("button", { type: "button", className: "reply-row", ariaExpanded: "false" },
        verdictOf(row), make("span", { className: "item" }, make("bdi", {}, value(task.item, at))),
        make("span", { className: "asked" }, state.task ? asked(row) : `${task.title} · ${asked(row)}`),
        make("span", { className: "whose" }, make("bdi", {}, index.models[task.model[at]][2])),
        make("span", { className: "answer" }, answerOf(row)));
      const place = make("div", { className: "reply-detail", hidden: true });
      button.addEventListener("click", () => {
        place.hidden = !place.hidden;
        button.ariaExpanded = String(!place.hidden);
        if (!place.hidden && !place.childNodes.length) detail(row, place);
      });
      return make("li", {}, button, place);
    };

    const showPage = (wanted) => {
      const last = Math.max(0, Math.ceil(shown.length / A_PAGE) - 1);
      page = Math.min(last, Math.max(0, wanted));
      const first = page * A_PAGE;
      list.replaceChildren(...shown.slice(first, first + A_PAGE).map(entry));
      pages.hidden = last === 0;
      const [previous, said, following] = pages.children;
      said.textContent = `${first + 1} to ${Math.min(first + A_PAGE, shown.length)} of ${shown.length.toLocaleString("en")}`;
      previous.disabled = page === 0;
      following.disabled = page === last;
    };

    const select = (label, name, options) => {
      const made = make("select", { name }, make("option", { value: "" }, "all"),
        ...options.map(([v, said]) => make("option", { value: v, selected: state[name] === v }, said)));
      return make("label", {}, label, made);
    };
    const drawFilters = () => {
      const task = index.tasks.find((one) => one.task === state.task);
      const conditions = (task?.conditions ?? []).filter((c) => c.values.length > 1 || state[c.name]);
      const item = state.item ? [make("button", { type: "button", className: "only item", name: "item" }, `question ${state.item} ✕`)] : [];
      filters.replaceChildren(
        select("Task", "task", index.tasks.map((one) => [one.task, one.title])),
        select("Model", "model", index.models.map(([label, said]) => [label, said])),
        select("Result", "result", Object.entries(RESULTS)),
        ...conditions.map((c) => select(c.title.replaceAll("_", " "), c.name, c.values.map((v, i) => [v, c.labels[i]]))),
        ...item, make("label", { className: "search" }, "Search", search));
    };
    const show = async () => {
      const own = ++turn;
      const found = await matching();
      if (own !== turn) return;
      shown = found;
      const number = (test) => found.reduce((sum, { task, at }) => sum + test(task, at), 0);
      const [right, wrong, flips, held] = [
        number((t, at) => t.verdict[at] === 1), number((t, at) => t.verdict[at] === 0),
        number((t, at) => t.verdict[at] === 0 && t.flip[at]), number((t, at) => t.text[at] >= 0)];
      byId("replies-count").textContent = `${counted(found.length, "reply", "replies")} of ${n.toLocaleString("en")}: ${right.toLocaleString("en")} right, `
        + `${wrong.toLocaleString("en")} wrong${flips ? `, ${flips.toLocaleString("en")} of these right when asked otherwise` : ""}`
        + `${held < found.length ? `; ${held.toLocaleString("en")} with their text in this file` : ""}.`
        + (state.task ? ` Counted by: ${index.tasks.find((one) => one.task === state.task)?.measure}.` : "");
      showPage(0);
      dialog.dataset.shown = own;
    };
    const change = (given, redraw = true) => {
      state = Object.fromEntries(Object.entries({ ...state, ...given }).filter(([, v]) => v));
      if ("task" in given) {
        const own = index.tasks.find((one) => one.task === state.task)?.conditions.map((c) => c.name) ?? [];
        state = Object.fromEntries(Object.entries(state).filter(([name]) => ["task", "model", "result", "q", ...own].includes(name)));
      }
      history.replaceState(null, "", address(state));
      if (redraw) drawFilters();
      show();
    };
    filters.addEventListener("change", ({ target }) => { if (target.name) change({ [target.name]: target.value }); });
    filters.addEventListener("click", ({ target }) => { if (target.name === "item") change({ item: "" }); });
    let waiting;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change({ q: search.value.trim() }, false), 200);
    });
    pages.addEventListener("click", ({ target }) => {
      if (target.dataset.step) { showPage(page + Number(target.dataset.step)); dialog.scrollTo(0, 0); }
    });

    const follow = () => {
      if (!location.hash.startsWith("#explore")) { if (dialog.open) dialog.close(); return; }
      state = Object.fromEntries(new URLSearchParams(location.hash.split("?").slice(1).join("?")));
      search.value = state.q ?? "";
      drawFilters();
      show();
      if (!dialog.open) dialog.showModal();
      document.documentElement.classList.add("exploring");
    };
    byId("replies-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", ({ target, clientX }) => {
      if (target === dialog && clientX < dialog.getBoundingClientRect().left) dialog.close();
    });
    dialog.addEventListener("close", () => {
      document.documentElement.classList.remove("exploring");
      if (location.hash.startsWith("#explore")) history.replaceState(null, "", location.pathname + location.search);
    });
    addEventListener("hashchange", follow);

    // Names of models on the page, as charts, tables and cards write them.
    const names = new Map(index.models.flatMap(([label, ...said]) => said.map((name) => [name, label])));
    const named = (element) => names.get(element?.textContent.replace(/\s*[†‡§¶]+$/, "").trim());
    const mark = (selector, holder) => all(selector).forEach((element) => {
      const label = named(element);
      if (label) element.closest(holder).dataset.model ??= label;
    });
    mark("article.model h3 bdi", "article");
    mark("article.flip .about bdi:first-child", "article");
    mark(".panel-title bdi", ".panel");
    mark("tr.group bdi", "tbody");
    mark("tbody tr.measured > th bdi, tbody tr.simulated > th bdi", "tr");

    // A grid of models by tasks: rows are a model's, columns a task's.
    all("table.screen").forEach((grid) => {
      const tasks = [...grid.tHead.rows[0].cells].map((head) => head.querySelector("a")?.hash.slice(1));
      all("tr", grid).forEach((row) => {
        const label = row.closest("tbody") && named(row.querySelector("th bdi"));
        if (label) row.dataset.model = label;
        [...row.cells].forEach((cell, column) => { if (tasks[column]) cell.dataset.task = tasks[column]; });
      });
    });

    const taskOf = (element) => element.closest("[data-task]")?.dataset.task ?? element.closest("section.chapter")?.id;
    const modelOf = (element) => element.closest("[data-model]")?.dataset.model;
    const lead = (element, given) => {
      const link = make("a", { className: "to-replies", href: address(given), title: "The replies behind this number" });
      element.replaceWith(link);
      link.append(element);
    };
    all("tr.measured td data, tr.simulated td data").forEach((number) => {
      if (number.closest("a") || !taskOf(number)) return;
      const at = new URLSearchParams(number.closest("td").dataset.at ?? "");
      lead(number, { task: taskOf(number), model: modelOf(number), ...Object.fromEntries(at) });
    });
    all(".headline .value data").forEach((number) => {
      const task = number.closest(".headline").querySelector(".measure a")?.hash.slice(1);
      lead(number, { task, model: modelOf(number) });
    });
    all("article.flip h4 bdi").forEach((item) => lead(item, { task: taskOf(item), model: modelOf(item), item: item.textContent }));
    all("table.screen tr[data-model] th bdi").forEach((name) => lead(name, { model: modelOf(name) }));
    const parts = index.tasks.map(({ task }) => [task, { task }]);
    [...parts, ["others", {}]].forEach(([id, given]) => byId(id)?.querySelector("h2")?.append(" ",
      make("a", { className: "all-replies", href: address(given) }, "replies")));
    all("[data-replies]").forEach((element) => lead(element, Object.fromEntries(new URLSearchParams(element.dataset.replies))));

    // What is chosen is shown; figures that hold several models keep all of them.
    const chosen = { task: new Set(index.tasks.map((t) => t.task)), model: new Set(index.models.map(([label]) => label)) };
    const sizes = { task: chosen.task.size, model: chosen.model.size };
    const choose = byId("choose");
    const apply = () => {
      const hide = (element, kind, key) => { element.hidden = !chosen[kind].has(key); };
      all("section.chapter").filter((s) => index.tasks.some((t) => t.task === s.id)).forEach((s) => {
        hide(s, "task", s.id);
        all(`nav a[href="#${CSS.escape(s.id)}"]`).forEach((a) => hide(a.parentElement, "task", s.id));
      });
      all("main [data-model], main [data-task]").forEach((element) => {
        const { model, task } = element.dataset;
        element.hidden = (model && !chosen.model.has(model)) || (task && !chosen.task.has(task)) || false;
      });
      all(".headline").forEach((h) => hide(h, "task", h.querySelector(".measure a")?.hash.slice(1)));
      all("tbody").forEach((body) => {
        const own = all("tr[data-model]", body);
        if (own.length && !body.dataset.model) body.hidden = own.every((row) => row.hidden) && all("tr:not(.group)", body).length === own.length;
      });
      const said = ["task", "model"].map((kind) => `${chosen[kind].size} of ${counted(sizes[kind], kind)}`);
      choose.firstElementChild.textContent = `Choose what is shown: ${said.join(", ")}`;
    };
    const boxes = (kind, title, entries) => make("fieldset", {}, make("legend", {}, title), ...entries.map(([key, said]) => {
      const box = make("input", { type: "checkbox", checked: true, name: kind, value: key });
      const only = make("button", { type: "button", className: "only", ariaLabel: `only ${said}` }, "only");
      only.addEventListener("click", () => {
        const alone = chosen[kind].size === 1 && chosen[kind].has(key);
        chosen[kind] = new Set(alone ? entries.map(([k]) => k) : [key]);
        all(`input[name=${kind}]`, choose).forEach((b) => { b.checked = chosen[kind].has(b.value); });
        apply();
      });
      box.addEventListener("change", () => { chosen[kind][box.checked ? "add" : "delete"](key); apply(); });
      return make("span", { className: "choice" }, make("label", {}, box, make("bdi", {}, said)), only);
    }));
    choose.lastElementChild.append(
      boxes("task", "Tasks", index.tasks.map((t) => [t.task, t.title])),
      boxes("model", "Models", index.models.map(([label, said]) => [label, said])),
      make("p", { className: "note" }, "Hides chapters, rows and cards of the others. Figures that hold several models keep all of them."));
    const nav = document.querySelector("nav");
    nav?.after(choose);
    nav?.firstElementChild.prepend(make("li", {}, make("a", { href: "#explore" }, "Replies")));
    choose.hidden = sizes.task + sizes.model < 3;
    apply();

    all("main table").forEach((table) => {
      const bodies = all("tbody", table).map((body) => all("tr:not(.group)", body));
      if (bodies.every((own) => own.length < 2)) return;
      all("thead th", table).forEach((head, column) => {
        // A head that is a link stays one, with a button beside it.
        const held = head.querySelector("a") ? [] : head.childNodes;
        const button = make("button", { type: "button", className: "sort" }, ...held);
        if (!held.length) button.ariaLabel = `sort by ${head.textContent}`;
        head.append(button);
        const counts = head.classList.contains("num") || bodies.flat().some((row) => row.cells[column]?.querySelector("data"));
        button.addEventListener("click", () => {
          const turns = counts ? ["descending", "ascending", null] : ["ascending", "descending", null];
          const wanted = turns[(turns.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
          all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
          if (wanted) head.setAttribute("aria-sort", wanted);
          const key = (row) => {
            const cell = row.cells[column];
            const number = Number.parseFloat(cell.querySelector("data")?.value ?? cell.textContent.replaceAll(",", "").replace("−", "-"));
            return Number.isNaN(number) ? (counts ? null : cell.textContent.trim()) : number;
          };
          const sign = wanted === "descending" ? -1 : 1;
          const order = (a, b) => (a === null) - (b === null)
            || (a === null ? 0 : sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
          for (const own of bodies.filter((b) => b.length)) {
            const keys = new Map(own.map((row) => [row, key(row)]));
            own[0].parentElement.append(...(wanted ? [...own].sort((a, b) => order(keys.get(a), keys.get(b))) : own));
          }
        });
      });
    });
    follow();
    document.documentElement.dataset.replies = n;
  };
  start();
})();
