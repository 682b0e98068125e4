"use strict";
// What all parts of the page need: elements, the run's data, and where the reader is.

const $ = (id) => document.getElementById(id);
const PAGE = 50; // cases, or changes of a kind, that are listed at once
const FACETS = ["outcome", "metric", "tag", "language"];

// what cases are looked for, those that were found, and how many of them are listed
const state = { text: "", outcome: "", metric: "", tag: "", language: "", order: "worst" };
let found = [], listed = 0;
// the run's index; the number of the case that is open; that of its claim that is shown
let index, opened = null, picked = null;
const chunks = new Map();

// An element such as "div.panel". What a run says becomes text in it: there is no other way here
// to put it into the page.
function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  node.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  const nothing = [undefined, null, false, ""];
  node.append(...children.flat(2).filter((one) => !nothing.includes(one)));
  return node;
}

// A text of the run, in the direction of its script.
const said = (words, name = "span") => h(name, { dir: "auto" }, words);
// The same of a name: what hides in one, or turns it round, is shown as an escape.
const HIDDEN = /[\0-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff]/g;
const named = (words, name) => said(words.replace(HIDDEN, (one) =>
  `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`), name);
const tags = (...words) => words.flat().filter(Boolean).map((one) => said(one, "span.tag"));
const several = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
const addressOf = (link) => `#case=${encodeURIComponent(link)}`;

function outcomeSign(outcome) {
  const name = index.outcomes[outcome].replaceAll(",", "").replaceAll(" ", "-");
  return h(`span.sign.o-${name}`, { "aria-hidden": "true" });
}

function resultWords(result) {
  return `${result.metric} ${result.said || index.outcomes[result.outcome]}`;
}

async function readData(name) {
  const element = $(`data-${name}`);
  if (!element.dataset.encoding) return JSON.parse(element.textContent);
  const packed = atob(element.textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// Says that the page is busy until this work is done.
let unfinished = 0;
async function whileBusy(work) {
  unfinished += 1;
  $("main").setAttribute("aria-busy", "true");
  try {
    return await work;
  } finally {
    unfinished -= 1;
    if (!unfinished) $("main").removeAttribute("aria-busy");
  }
}

// All that is shown of a case; read when one of its chunk is opened for the first time.
async function detailsOf(number) {
  const chunk = Math.floor(number / index.chunk);
  if (!chunks.has(chunk)) chunks.set(chunk, readData(`cases-${chunk}`));
  return (await chunks.get(chunk))[number % index.chunk];
}
