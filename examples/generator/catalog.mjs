/** Generates the sample catalog, and computes the results that the demo expects. */
import { attributes } from './attributes.mjs';
import { inventBadRows } from './bad-rows.mjs';
import { leaves, primary, sale } from './categories.mjs';
import { cellsOf, csvLine, HEADER } from './csv.mjs';
import { inventProduct } from './products.mjs';
import { createRandom } from './random.mjs';

const SEED = 20260701;
const JSON_ITEMS = 4_200;
const CSV_ITEMS = 7_900;
const PRICE_UPDATES = 200;
const UNCHANGED = 100;
const VARIANTS = 40;
const DUPLICATES = 3;

const SHOWCASE_SKU = 'WRE-½"/Ü';

/** @returns `{elements, lines, sale, expected}`: JSON elements, CSV lines, and the results that the demo expects */
export function inventCatalog() {
  const random = createRandom(SEED);
  let number = 0;
  const next = () => ++number;
  const invent = () => inventProduct(random, random.pick(leaves), next());
  const stored = new Map();
  const store = (product) => stored.set(product.sku, product);

  const jsonProducts = Array.from({ length: JSON_ITEMS }, invent);
  const refused = [jsonProducts[700], jsonProducts[1900], jsonProducts[3300]];
  const elements = jsonProducts.map(elementOf);
  const refusals = spoilElements(elements, refused);
  const accepted = jsonProducts.filter((product) => !refused.includes(product));
  for (const product of accepted) store(product);
  const onSale = pickForSale(accepted);

  const rows = [];
  const created = Array.from({ length: CSV_ITEMS }, invent);
  makeVariants(created);
  for (const product of [...created, ...refused, showcase(next())]) {
    rows.push(csvLine(cellsOf(product)));
    store(product);
  }
  const createdCount = rows.length;

  // The daily price list contains only the key, the price and the stock.
  for (const product of accepted.slice(100, 100 + PRICE_UPDATES)) {
    const { Price = 49.5, Stock } = product.values;
    const update = { Price: (Math.round(Price * 100) + 50) / 100, Stock: Stock + 1 };
    rows.push(csvLine(cellsOf({ ...product, values: update }, { category: '' })));
    store({ ...product, values: { ...product.values, ...update } });
  }
  for (const product of accepted.slice(2000, 2000 + UNCHANGED)) rows.push(csvLine(cellsOf(product)));

  const bad = inventBadRows(random, leaves, next, accepted[0]);
  // Twelve of them are consecutive rows of one supplier.
  insertAt(rows, 3_000, ...bad.slice(0, 12));
  for (const [index, row] of bad.slice(12).entries()) insertAt(rows, 150 + index * 190, row);
  for (const [index, product] of created.slice(50, 50 + DUPLICATES).entries()) {
    insertAt(rows, 20 + index, duplicateOf(product));
  }
  const lines = [csvLine(HEADER), ...rows.map((row) => row.line ?? row)];

  const failures = rows.filter((row) => row.problems !== undefined);
  const imported = totals(stored.values());
  for (const { product } of bad) store(product);
  const expected = {
    attributes: attributes.length,
    categories: countNodes(primary) + 1,
    jsonInsert: { rows: elements.length, created: accepted.length, failed: refusals },
    csvImport: {
      rows: rows.length,
      created: createdCount,
      updated: PRICE_UPDATES,
      unchanged: UNCHANGED,
      failed: failures.length,
      inErrorFile: bad.length,
      problems: countProblems(failures),
    },
    afterImport: imported,
    afterCorrection: { ...totals(stored.values()), byCategory: countByTop(stored.values()) },
    showcase: showcaseExpected(),
  };
  return { elements, lines, sale: onSale, expected };
}

function elementOf({ sku, leaf, values }) {
  const details = values.Description?.startsWith('"') ? { Details: '<p>Tested <b>twice</b>.</p>' } : {};
  return { sku, nodeName: leaf.path, attributes: { ...values, ...details } };
}

/** @returns the refused elements, as the answer of the request lists them */
function spoilElements(elements, [colour, node, price]) {
  const element = ({ sku }) => elements.find((one) => one.sku === sku);
  element(colour).attributes.Colour = 'Turquoise';
  element(node).nodeName = 'Stationery->Pencils';
  element(price).attributes.Price = 'call us';
  return [
    { sku: colour.sku, code: 'VALUE_NOT_IN_OPTIONS' },
    { sku: node.sku, code: 'NODE_NOT_FOUND' },
    { sku: price.sku, code: 'VALUE_TYPE' },
  ];
}

/** Sizes of one screw. In the file, half of the parents come before their variants, half after them. */
function makeVariants(products) {
  const screws = products.filter(({ leaf }) => leaf.prefix === 'MSC');
  for (let index = 0; index < VARIANTS; index++) {
    const [first, second] = [screws[2 * index], screws[2 * index + 1]];
    const [variant, parent] = index % 2 === 0 ? [first, second] : [second, first];
    variant.parentSku = parent.sku;
  }
}

/** An older row of a product that also appears later: the last row wins. */
function duplicateOf(product) {
  const older = { ...product, values: { ...product.values, Stock: 0, Price: 1 } };
  return { line: csvLine(cellsOf(older)), problems: [{ code: 'SKU_DUPLICATE_IN_REQUEST', column: 'SKU' }] };
}

function showcase(number) {
  const leaf = leaves.find(({ prefix }) => prefix === 'WRE');
  return { sku: SHOWCASE_SKU, leaf, parentSku: null, values: { ...showcaseValues(), Weight: 1.25, Stock: number } };
}

function showcaseExpected() {
  const values = showcaseValues();
  // Decimals are read as text.
  return { sku: SHOWCASE_SKU, attributes: { ...values, Price: String(values.Price) } };
}

/** Values that file formats often damage. */
function showcaseValues() {
  return {
    Title: 'Schraubenschlüssel-Satz ½" bis 1", 12-teilig 🔧',
    Brand: 'Weiß & Söhne',
    Description: 'Chrom-Vanadium.\n"Für Profis", sagt der Händler;\nLieferung im Koffer.',
    GTIN: '00012345678905',
    Price: 89.9,
    'Release Date': '2024-02-29',
    Material: 'Steel',
  };
}

function pickForSale(products) {
  return {
    name: sale.name,
    children: sale.children.map(({ name, prefixes, count }) => ({
      name,
      skus: products
        .filter(({ leaf }) => prefixes.includes(leaf.prefix))
        .slice(0, count)
        .map(({ sku }) => sku),
    })),
  };
}

function insertAt(rows, index, ...inserted) {
  rows.splice(index, 0, ...inserted);
}

function countProblems(failures) {
  const counts = new Map();
  for (const { code, column } of failures.flatMap(({ problems }) => problems)) {
    // One cause, whatever attributes it concerns: they are not assigned to the categories.
    const key = JSON.stringify([code, code === 'ATTRIBUTE_NOT_ASSIGNED' ? null : column]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const [code, path] = JSON.parse(key);
    return { code, path, count };
  });
}

function totals(products) {
  const all = [...products];
  const live = all.filter(isLive).length;
  return { items: all.length, live, draft: all.length - live };
}

function isLive({ leaf, values }) {
  return values.Active !== false && leaf.mandatory.every((name) => values[name] !== undefined);
}

function countByTop(products) {
  const counts = {};
  for (const { leaf } of products) counts[leaf.topName] = (counts[leaf.topName] ?? 0) + 1;
  return counts;
}

function countNodes(nodes) {
  return nodes.reduce((count, { children }) => count + 1 + countNodes(children), 0);
}
