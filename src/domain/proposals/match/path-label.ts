/** The name of a column of JSON or XML among the columns of tables: what its path says of the value. */

/** Steps of a path: names, each with its selectors. */
const STEP = /(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+/g;
const SELECTED = /^((?:\\.|[^[\\])*)\[([^=]*)=((?:\\.|[^\]\\])*)\]/;
const LANGUAGE = /lang|locale/i;
/** What holds values of the row together, and says nothing of them. */
const FRAMES = new Set(
  (
    'attributes attributevalues values fields data details general product item article offer offers identification ' +
    'productidentification productdetails productdescriptions itemidentification itemdetails itemdescriptions ' +
    'articledetails articlepricedetails articleprice productpricedetails productprice pricing ' +
    'articlefeatures productfeatures description descriptions'
  ).split(' '),
);
/** Members that are the value of what they are in. */
const VALUES = new Set('value fvalue attributevalue numericvalue etimvaluecode logicalvalue name text'.split(' '));
/** What such names mean where rows are at a path, though not in tables. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...['supplierpid', 'supplieraid', 'manufacturerproductnumber', 'supplieritemnumber'].map((name): [string, string] => [
    name,
    'SKU',
  ]),
  ['gid', 'SKU'],
  ['internationalpid', 'EAN'],
  ['productgtin', 'EAN'],
  ['itemgtin', 'EAN'],
  ['manufacturerpid', 'MPN'],
  ['manufactureraid', 'MPN'],
  ['descriptionshort', 'Name'],
  ['minimalproductdescription', 'Name'],
  ['descriptionlong', 'Description'],
  ['priceamount', 'Price'],
  ['netprice', 'Net price'],
  ['nodename', 'Category'],
]);

export interface PathLabel {
  /** What a new attribute is called. */
  readonly name: string;
  /** What is compared with the columns of ours. */
  readonly meaning: string;
}

/** Null: the path says no more than all of it does. */
export function labelOf(path: string): PathLabel | null {
  const steps = (path.match(STEP) ?? []).filter((step) => !/^\d+$/.test(step));
  const last = steps.at(-1);
  if (last === undefined) return null;
  const before = steps.slice(0, -1);
  const chosen = SELECTED.exec(last);
  if (chosen !== null) {
    const [, name = '', key = ''] = chosen;
    return LANGUAGE.test(key) && before.every(isFrame) ? labelled(name, path) : null;
  }
  const parent = before.at(-1);
  const selected = parent === undefined ? null : SELECTED.exec(parent);
  if (selected !== null) {
    const [, , key = '', value = ''] = selected;
    if (LANGUAGE.test(key)) return before.slice(0, -1).every(isFrame) ? labelled(last, path) : null;
    return VALUES.has(plain(last)) ? { name: unescaped(value), meaning: unescaped(value) } : null;
  }
  if (before.every(isFrame)) return labelled(last, path);
  const isValue = parent !== undefined && VALUES.has(plain(last)) && before.slice(0, -1).every(isFrame);
  return isValue ? labelled(parent, path) : null;
}

function isFrame(step: string): boolean {
  return FRAMES.has(plain(step.replace(/\[.*$/, '')));
}

function labelled(step: string, path: string): PathLabel | null {
  // An identifier or type of the markup is none of the item.
  if (step.startsWith('@') && /^@(?:type|context|lang|xml)/i.test(step)) return null;
  const own = unescaped(step).replace(/^@/, '');
  const name = own.replace(/^\w+:/, '');
  const meaning = MEANINGS.get(plain(path)) ?? MEANINGS.get(plain(name)) ?? name;
  return { name, meaning };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
