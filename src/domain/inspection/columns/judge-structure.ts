/** Judges whether the texts of a column are lists or paths, and by which separator. */
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { ColumnFacts } from './column-facts.js';
import { type DividedValues, divideValues, type SampledValue } from './divided-values.js';
import { inRow, quoted } from './sentences.js';
import { partsOf, SEPARATORS } from './separators.js';

export interface Structure {
  readonly list: Answer<string> | null;
  readonly path: Answer<string> | null;
}

const NONE: Structure = { list: null, path: null };
/** Fewer texts with a separator are an accident. */
const LEAST_DIVIDED = 3;
const LEAST_SHARE = 0.1;
const LEAST_SHORT = 0.9;
const MOST_TREE = 0.85;
const LEAST_TREE = 0.4;
const LEAST_REUSE = 0.5;
/** So few values of programs are wrong ones; a sign that they do not have leaves them whole. */
const MOST_OF_PROGRAMS = 0.05;
const URL = /^(?:https?:)?\/\//i;

/** @param texts how many cells of the column are texts */
export function judgeStructure(facts: ColumnFacts, texts: number): Structure {
  const sampled = facts.sample.values();
  const ofPrograms = sampled.filter(({ text }) => isOfProgram(text));
  const values = sampled.filter((value) => !ofPrograms.includes(value));
  if (values.length === 0 || ofPrograms.length > sampled.length * MOST_OF_PROGRAMS) return NONE;
  const found: DividedValues[] = [];
  for (const separator of SEPARATORS) {
    const cells = facts.textsWith(separator.bit);
    // Few cells are an accident, unless they are all there are, and have a sign of nothing but paths.
    const leastCells = separator.inPaths === 'always' ? Math.min(LEAST_DIVIDED, texts) : LEAST_DIVIDED;
    if (cells < leastCells || cells < texts * LEAST_SHARE) continue;
    if (ofPrograms.some(({ text }) => text.includes(separator.sign))) continue;
    if (found.some((other) => other.separator.sign.includes(separator.sign))) continue;
    if (separator.sign === ',' && areAmounts(values)) continue;
    const divided = divideValues(values, separator);
    const least = separator.inProse ? Math.min(LEAST_DIVIDED, values.length) : 1;
    if (divided.divided.length >= least && divided.shortShare >= LEAST_SHORT) found.push(divided);
  }
  const paths = found.filter((each) => mayBePath(each, values.length));
  const path = paths.find(({ separator }) => separator.inPaths === 'always') ?? paths[0];
  if (path !== undefined) return bySample(byFew(pathAmong(path, found, values), texts), facts, sampled.length);
  const list = found.find((each) => isList(each));
  return list === undefined ? NONE : bySample({ list: listAnswer(list), path: null }, facts, sampled.length);
}

/** Amounts with a sign or a word that is not known: their comma is the decimal sign, or one between thousands. */
const AMOUNT =
  /^[^\d,;|]{0,12}\d{1,3}(?:(?:[.\s'’]?\d{3})*,\d+|(?:(?:,\d{3})+|(?:,\d{2})*,\d{3})(?:\.\d+)?)[^\d,;|]{0,12}$/;
/** Without anything else, several numbers between commas are a list, such as one of sizes. */
const NUMBERS = /^\d+(?:,\d+){2,}$/;

/** Whether the values with a comma are amounts, which a list would take apart. */
function areAmounts(values: readonly SampledValue[]): boolean {
  const divided = values.filter(({ text }) => text.includes(','));
  return divided.filter(({ text }) => AMOUNT.test(text) && !NUMBERS.test(text)).length * 2 >= divided.length;
}

/** JSON, or what PHP has serialized: divided and joined again, no program reads it any more. */
function isOfProgram(text: string): boolean {
  if (/^[aO]:\d+:(?:\{|")/.test(text)) return true;
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

/** A path of which there are hardly any cells is not certain. */
function byFew({ list, path }: Structure, texts: number): Structure {
  if (texts >= LEAST_DIVIDED || path?.verdict !== 'certain') return { list, path };
  return { list, path: { ...path, verdict: 'likely' } };
}

/** Says that not all values were looked at, where that is so. */
function bySample({ list, path }: Structure, { distinct }: ColumnFacts, sampled: number): Structure {
  const all = distinct.count();
  if (sampled >= all) return { list, path };
  const about = `${distinct.isExact ? '' : 'about '}${all}`;
  const said = (answer: Answer<string> | null) =>
    answer && { ...answer, reason: `${answer.reason} Judged by ${sampled} of its ${about} different values.` };
  return { list: said(list), path: said(path) };
}

/** URLs are a list if one of them follows another. */
export function judgeUrls(facts: ColumnFacts): Structure {
  const values = facts.sample.values();
  for (const separator of SEPARATORS) {
    const lists = values.filter(({ text }) => {
      const parts = partsOf(text, separator.sign);
      return parts.length > 1 && parts.every((part) => URL.test(part));
    });
    const [first] = lists;
    if (first !== undefined && lists.length >= Math.min(LEAST_DIVIDED, values.length)) {
      return {
        list: certain(
          separator.sign,
          `Several URLs are separated by ${quoted(separator.sign)}: ${inRow(shown(first))}.`,
        ),
        path: null,
      };
    }
  }
  return NONE;
}

/** Paths, and lists of paths. Among several, the name of a top category is one as well. */
function pathAmong(path: DividedValues, found: readonly DividedValues[], values: readonly SampledValue[]): Structure {
  const { sign } = path.separator;
  let maybe: { readonly separator: string; readonly example: SampledValue } | undefined;
  for (const { separator } of found) {
    if (separator === path.separator || separator.inPaths === 'always') continue;
    const cells = path.divided.map((value) => ({
      value,
      parts: partsOf(value.text, separator.sign).map((part) => partsOf(part, sign)),
    }));
    const tops = new Set(
      cells.flatMap(({ parts }) => parts.flatMap(([top = '', ...below]) => (below[0] ? [top] : []))),
    );
    const several = cells.filter(({ parts }) => parts.length > 1);
    const lists = several.filter(({ parts }) =>
      parts.every(([top = '', ...below]) => below.length > 0 || tops.has(top)),
    );
    const [first] = lists;
    if (first !== undefined && lists.length >= Math.min(LEAST_DIVIDED, values.length)) {
      const reason = `Several paths are separated by ${quoted(separator.sign)}: ${inRow(shown(first.value))}.`;
      return { list: certain(separator.sign, reason), path: pathAnswer(path, false) };
    }
    if (several[0] !== undefined) maybe ??= { separator: separator.sign, example: several[0].value };
  }
  const answer = pathAnswer(path, isList(path));
  if (maybe === undefined || answer.verdict !== 'certain') return { list: null, path: answer };
  const { separator, example } = maybe;
  const reason = `${answer.reason} There may be several paths as well, separated by ${quoted(separator)}, as in ${inRow(shown(example))}.`;
  return { list: null, path: likely(sign, reason) };
}

function mayBePath({ separator, treeShare, treeEvidence, divided }: DividedValues, values: number): boolean {
  switch (separator.inPaths) {
    case 'always':
      return divided.length * 2 >= values || divided.length >= 5;
    case 'never':
      return false;
    case 'maybe':
      return treeShare >= MOST_TREE && treeEvidence >= 1 && divided.length >= 2;
  }
}

function isList({ separator, reuse, divided, treeShare }: DividedValues): boolean {
  if (separator.inPaths === 'always') return false;
  return separator.inProse ? reuse >= LEAST_REUSE && divided.length >= LEAST_DIVIDED && treeShare < MOST_TREE : true;
}

function pathAnswer(
  { separator, divided, treeShare, treeEvidence, depth }: DividedValues,
  mayBeList: boolean,
): Answer<string> {
  const { sign, inPaths } = separator;
  const [first] = divided;
  const reason = `The levels of a path are separated by ${quoted(sign)}${first === undefined ? '' : `, as in ${inRow(shown(first))}`}.`;
  if (inPaths === 'always') return certain(sign, reason);
  const isTree = treeShare >= 0.95 && treeEvidence >= 5;
  if (isTree && (depth > 2 || !mayBeList))
    return certain(sign, `${reason} What stands after it always has the same parent.`);
  return likely(sign, `${reason} It may be a list as well.`);
}

function listAnswer({ separator, divided, treeShare, treeEvidence }: DividedValues): Answer<string> {
  const { sign, inPaths } = separator;
  const [first] = divided;
  const reason = `Several values are separated by ${quoted(sign)}${first === undefined ? '' : `, as in ${inRow(shown(first))}`}.`;
  if (inPaths === 'never') return certain(sign, reason);
  if (treeEvidence >= 3 && treeShare <= LEAST_TREE) return certain(sign, reason);
  if (treeEvidence >= 3 && treeShare > 0.7)
    return ambiguous(sign, `${reason} They may be the levels of a path as well.`, [], first && shown(first));
  return likely(sign, reason);
}

function shown({ text, row }: SampledValue): { value: string; row: number } {
  return { value: text, row };
}
