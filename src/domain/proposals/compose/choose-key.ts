/** Chooses the column that identifies the items. */

import { ROUNDED_CODES } from '../../inspection/columns/judge-column.js';
import type { Column } from '../../inspection/model/column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import type { OpenAnswer } from '../../profiles/model/open-question.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import { type Candidate, type NamedColumn, namedColumn } from '../match/candidates.js';
import { type Concept, DAMAGING } from '../match/dictionary.js';
import { canDoDamage, isNumbered } from '../match/name-keys.js';
import type { Verdict } from '../model/proposal.js';
import { type Draft, leastSure, lineOf, type Planned } from './draft.js';
import { planNew } from './plan-attribute.js';

/** A column with its candidates. */
export interface Matched {
  readonly named: NamedColumn;
  readonly candidates: readonly Candidate[];
}

/** A key has nearly no empty cells, and nearly no value twice: some cells of every file are wrong. */
const LEAST_FILLED = 0.9;
/** A column that has the name of the key, and is empty more often, is none: rows without a key fail. */
const LEAST_FILLED_IF_NAMED = 0.5;
const LEAST_DISTINCT = 0.95;
const MAX_KEY = 64;
/** So many columns are offered, and of those that are no keys the ones with this share of different values. */
const MOST_OFFERED = 20;
const LEAST_OFFERED = 0.5;
/** What identifies the products of Google's feeds: in other files, ids are those of another system. */
const FEED_KEY = 'id';
/** Such names say of a number of its own, though of another one than ours. */
const CODES: ReadonlySet<Concept> = new Set(['ean', 'mpn']);
const NO_KEYS: ReadonlySet<Concept> = new Set([
  ...(['name', 'description', 'shortDescription', 'seoTitle', 'seoDescription'] as const),
  ...(['image', 'link', 'price', 'parent', 'category'] as const),
]);

export interface PlannedKey {
  /** Null: there is none yet, and a person has to name it. */
  readonly index: number | null;
  /** The columns that may be the key as well, if that is asked. */
  readonly open: ReadonlySet<number>;
}

/** Plans the column of the key. */
export function planKey(draft: Draft, columns: readonly Matched[], keyName: string): PlannedKey {
  const ranked = besideCodes(columns.map((matched) => ({ matched, rank: rankOf(matched, draft) })))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank);
  const [best] = ranked;
  if (best === undefined) {
    // A file without rows has names all the same.
    const all = draft.inspection.columns.map((column) => namedColumn(column, null, draft));
    const offered = columns.length > 0 ? columns.map(({ named }) => named) : all;
    askForKey(draft, nearestToKeys(offered), null, keyName);
    return { index: null, open: new Set() };
  }
  const equal = ranked.filter(({ rank }) => Math.floor(rank) === Math.floor(best.rank));
  const { named } = best.matched;
  const { rows } = draft;
  const isDoubtful =
    named.column.filled < rows * LEAST_FILLED_IF_NAMED || columns.some((each) => isEmptyKey(each, rows));
  const found =
    (isDoubtful && best.rank < CHOSEN) || (best.rank < NAMED && isBareNumber(named.column))
      ? 'ambiguous'
      : verdictOf(best.rank, equal.length, isKeyLike(named.column, rows));
  const rounded = roundedText(named.column);
  const verdict = leastSure(found, rounded === '' ? 'certain' : 'likely');
  const rivals = ranked.slice(1, MOST_OFFERED).map(({ matched }) => matched.named);
  if (verdict === 'ambiguous') askForKey(draft, [named, ...rivals], named, keyName);
  const line = lineOf(named, {
    to: keyName,
    as: 'key',
    verdict,
    reason: `${reasonOf(best.matched, draft)}${rounded}`,
    rivals: (verdict === 'certain' ? [] : rivals).map(({ column }) => {
      return { to: keyName, reason: `The column ${quoted(column.name)} identifies rows as well.` };
    }),
  });
  draft.planned.set(named.column.index, { rule: keyRule(named, keyName), line } satisfies Planned);
  const isOpen = verdict === 'ambiguous';
  return { index: named.column.index, open: new Set(isOpen ? rivals.map(({ column }) => column.index) : []) };
}

/** The columns in which values are rarely repeated, those with most different ones first; all, if there are none. */
function nearestToKeys(columns: readonly NamedColumn[]): readonly NamedColumn[] {
  const found = columns.filter(({ column: { distinct, filled } }) => filled > 0 && distinct >= filled * LEAST_OFFERED);
  return found.length === 0 ? columns : found.sort((a, b) => b.column.distinct - a.column.distinct);
}

function keyRule({ column }: NamedColumn, keyName: string): ProposedRule {
  return { to: keyName, from: column.name, steps: [] };
}

const CHOSEN = 5;
/** It has the name of the key, in the settings of the site perhaps. */
const NAMED = 4;

/** Whether a column has the name of the key, and no value: another one is the key, if it is one. Files without rows say nothing of it. */
function isEmptyKey({ named, candidates }: Matched, rows: number): boolean {
  const isNamed = candidates.some(({ target, way }) => target.as === 'key' && way !== 'meaning' && way !== 'near');
  return isNamed && named.column.filled === 0 && rows > 0;
}

const BARE = 3.2;
const CODE = 2;

interface Ranked {
  readonly matched: Matched;
  readonly rank: number;
}

/** A number of nothing that is named goes behind a code such as an EAN, unless another name has to be weighed against it. */
function besideCodes(ranked: readonly Ranked[]): Ranked[] {
  const others = ranked.filter(({ rank }) => rank !== BARE);
  const isBehind = Math.max(...others.map(({ rank }) => rank)) === CODE;
  return ranked.map((each) => (isBehind && each.rank === BARE ? { ...each, rank: CODE - 0.5 } : each));
}

/** 5: somebody has said so. 4: it has the name. 3: the name stands for it in files of shops. 2: another code. 1: the values alone; the half: key-like. */
function rankOf({ named, candidates }: Matched, { inspection, rows, fileType }: Draft): number {
  const { column, concept } = named;
  const keyLike = isKeyLike(column, rows);
  const as = candidates.find(({ target }) => target.as === 'key');
  if (as !== undefined) {
    if (as.way === 'chosen') return CHOSEN;
    if (column.filled === 0 && rows > 0) return 0;
    // What is called an article may be its name, which has several words.
    if (as.way === 'meaning') return keyLike && !hasWords(column) ? 3.5 : 3;
    if (as.way !== 'near') return keyLike ? 4.5 : 4;
  }
  if (!keyLike || column.isBlank) return 0;
  if (isFeedKey(column, inspection)) return 3.5;
  if (isBareNumber(column)) return BARE;
  // Of categories that are not below others, the name is the path.
  if (concept === 'name' && fileType === 'CATEGORY_IMPORT') return 2.5;
  if (concept !== null && CODES.has(concept)) return CODE;
  const { value } = column.type;
  const isCode = (value === 'text' || value === 'integer') && column.longest <= MAX_KEY;
  if (isAmountOrState(named)) return 0;
  return isCode && (concept === null || !NO_KEYS.has(concept)) && !/\s.*\s/.test(column.examples[0] ?? '') ? 1 : 0;
}

/** A number of nothing that is named. */
const BARE_NUMBER = /^(?:nr|nummer|no|num|number|n[°º]|№|#)\.?$/iu;

/** Whether a column has nothing but a number in its name, and does not count the rows. */
function isBareNumber({ name, examples }: Column): boolean {
  return BARE_NUMBER.test(name.trim()) && !countsRows(examples);
}

/** Whether values are 0, 1, 2 … or 1, 2, 3 …, or in larger steps such as 10, 20, 30 …. */
function countsRows([first, second, ...others]: readonly string[]): boolean {
  const start = Number(first);
  if (second === undefined) return start === 0 || start === 1;
  const step = Number(second) - start;
  if (!(step > 0) || (start !== 0 && start !== 1 && start !== step)) return false;
  return others.every((example, index) => Number(example) === start + (index + 2) * step);
}

function hasWords({ examples }: Column): boolean {
  return examples.filter((example) => /\p{L}{2}.*\s/u.test(example)).length * 2 > examples.length;
}

/** Whether a column has prices, stock or states, which identify nothing even where they differ; numbers of such things do. */
function isAmountOrState({ column: { name, type }, concept }: NamedColumn): boolean {
  if (isNumbered(name) || !canDoDamage(name, concept)) return false;
  return (concept !== null && DAMAGING.has(concept)) || type.value === 'integer' || type.value === 'decimal';
}

function isFeedKey({ name }: Column, { kind }: Draft['inspection']): boolean {
  return kind.value === 'googleFeed' && attributeKey(name) === FEED_KEY;
}

/** A name that only stands for the key decides it together with the values. */
function verdictOf(rank: number, equal: number, keyLike: boolean): Verdict {
  if (rank < 3) return 'ambiguous';
  if (rank >= 4) return equal > 1 ? 'ambiguous' : keyLike ? 'certain' : 'likely';
  return equal > 1 || !keyLike ? 'ambiguous' : 'certain';
}

function isKeyLike({ filled, distinct, isUnique }: Column, rows: number): boolean {
  // The titles of sections stand in cells of rows that are left out.
  const cells = Math.min(filled, rows);
  return filled > 0 && filled >= rows * LEAST_FILLED && (isUnique || distinct >= cells * LEAST_DISTINCT);
}

function reasonOf({ named, candidates }: Matched, { inspection, rows }: Draft): string {
  const { filled, isUnique } = named.column;
  const as = candidates.find(({ target }) => target.as === 'key');
  const unnamed = isFeedKey(named.column, inspection)
    ? "It identifies the products of Google's feeds."
    : 'No column has the name of a key.';
  const name = as?.reason ?? unnamed;
  if (rows === 0) return `${name} The file has no rows yet, so that nothing is known of its values.`;
  const values = isUnique ? `All ${filled} values differ` : `It has ${countOf(named.column)} in ${filled} cells`;
  const empty = rows - filled;
  const repeated = isUnique ? '' : ' Of rows with the same one, the last counts, and the others fail.';
  return `${name} ${values}${empty > 0 ? `, and ${empty} of ${rows} rows have none, which will fail` : ''}.${repeated}`;
}

/** What is said of keys whose last digits are lost; '' if there are none. */
function roundedText({ type: { reason } }: Column): string {
  return reason.startsWith(ROUNDED_CODES) ? ` ${reason}` : '';
}

/** How many values there are: beyond a thousand, an estimate. */
function countOf({ distinct, distinctIsExact }: Column): string {
  if (distinct === 1) return 'one value';
  return `${distinctIsExact ? '' : 'about '}${distinct} different values`;
}

/** What tells a column from the others that may be the key; of a file without rows, nothing does. */
function labelOf(column: Column, rows: number): string {
  const { name, isUnique, distinct, filled } = column;
  const called = `the column ${quoted(name)}`;
  if (rows === 0) return called;
  if (isUnique) return `${called}, whose values all differ`;
  return `${called}, ${distinct === 1 ? 'which has' : 'with'} ${countOf(column)} in ${filled} cells`;
}

/** @param chosen the column that is the key so far */
function askForKey(draft: Draft, offered: readonly NamedColumn[], chosen: NamedColumn | null, keyName: string): void {
  // Another column becomes the key in its place: then it is an attribute.
  const isItems = draft.fileType === 'ITEM_IMPORT' || draft.fileType === 'BUNDLE_IMPORT';
  const otherwise = chosen === null || !isItems ? [] : [planNew(draft, chosen).rule];
  const readings = offered.slice(0, MOST_OFFERED).map((named): OpenAnswer => {
    const rules = [keyRule(named, keyName), ...(named === chosen ? [] : otherwise)];
    const { column } = named;
    return { value: column.name, label: labelOf(column, draft.rows), ...draft.cellOf(column), rules };
  });
  const before = draft.rows === 0 ? 'The file has no rows yet, whose values would tell. ' : '';
  const question = `${before}Which column identifies the rows, so that it becomes ${quoted(keyName)}?`;
  draft.questions.push({ about: 'key', column: null, question, readings });
}
