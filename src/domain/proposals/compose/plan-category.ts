/** Plans the column of the categories of items, and the categories that the catalog lacks. */
import { placeKey } from '../../catalog/categories/category-places.js';
import type { DefinitionCategory } from '../../catalog/site-definitions.js';
import { BETWEEN_LEVELS } from '../../inspection/kind/level-columns.js';
import { quoted } from '../../kernel/value-problem.js';
import type { OpenAnswer } from '../../profiles/model/open-question.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import type { Reading } from '../../profiles/model/undecided.js';
import { emptiedText, emptyingStep, unmistakableWords } from '../columns/emptied-words.js';
import { PROSE } from '../columns/steps-of-column.js';
import type { Verdict } from '../model/proposal.js';
import { type CategoryPath, categoryPath, categoryPaths, leafPaths } from './category-paths.js';
import { categoriesText, wordsOf } from './category-texts.js';
import type { Matched } from './choose-key.js';
import { type Draft, leastSure, lineOf } from './draft.js';
import { mayBePaths } from './may-be-paths.js';
import { askForRest, emptyText, isSparse } from './rows-without-category.js';

const CATEGORY = 'Category Node';
const MOST_OFFERED = 10;
/** The rank of a column whose name stands for a category, and whose values are no paths. */
const NAME_ALONE = 2;
/** Such names may be ids of categories: what begins at the root is a name. */
const LOOKS_LIKE_ID = /^(?:\d+|[0-9a-f]{24})$/i;

export interface PlannedCategory {
  /** The columns that say it; none: it is a question. */
  readonly indexes: readonly number[];
  /** The categories that items have, or may have after a decision. */
  readonly paths: readonly CategoryPath[];
  /** The one of them that no cell names, in which an answer puts the rows without a category. */
  readonly rest?: CategoryPath;
}

export function planCategory(
  draft: Draft,
  columns: readonly Matched[],
  places: ReadonlyMap<string, DefinitionCategory>,
): PlannedCategory {
  const ranked = columns.map((matched) => ({ matched, rank: rankOf(matched) })).filter(({ rank }) => rank > 0);
  const best = ranked.toSorted((a, b) => b.rank - a.rank)[0];
  const levels = levelsOf(draft, columns);
  // A column with whole paths, or with our name, says more than levels that have to be joined.
  if (levels.length > 0 && (best === undefined || best.rank <= NAME_ALONE)) return planLevels(draft, levels, places);
  if (best === undefined) return { indexes: [], paths: askForCategory(draft, places) };
  const rivals = ranked.filter((other) => other !== best && other.rank === best.rank);
  return planColumn(
    draft,
    best.matched,
    rivals.map(({ matched }) => matched),
    places,
  );
}

/** 4: it has the name. 3: the name stands for it, and the values are paths. 2: the name alone. 1: paths alone. */
function rankOf({ named: { column, concept }, candidates }: Matched): number {
  if (column.filled === 0) return 0;
  const as = candidates.find(({ target }) => target.as === 'category');
  const isText = column.type.value === 'text' || column.type.value === 'integer';
  if (as !== undefined && as.way !== 'near' && as.way !== 'meaning') return 4;
  if (as?.way === 'meaning' && isText) return column.path === null ? 2 : 3;
  // Names of variants look like paths: "Mug - Red".
  const isProse = concept !== null && PROSE.has(concept);
  return column.path?.verdict === 'certain' && column.list === null && candidates.length === 0 && !isProse ? 1 : 0;
}

/** The columns that hold one level of a category each, the topmost first; none if their cells are paths already. */
function levelsOf({ inspection }: Draft, columns: readonly Matched[]): readonly Matched[] {
  const wanted = inspection.levels?.columns ?? [];
  const found = wanted.flatMap((index) => columns.find(({ named }) => named.column.index === index) ?? []);
  const isPlain = found.every(({ named: { column } }) => column.path === null && column.filled > 0);
  return found.length === wanted.length && isPlain ? found : [];
}

function planLevels(
  draft: Draft,
  columns: readonly Matched[],
  places: ReadonlyMap<string, DefinitionCategory>,
): PlannedCategory {
  const { values = [], isComplete = false } = draft.inspection.levels ?? {};
  const [top] = columns as readonly [Matched, ...Matched[]];
  const from = columns.map(({ named }) => named.column.name);
  const mayBeIds = values.some((value) => LOOKS_LIKE_ID.test(value));
  const steps: Reading['step'][] = mayBeIds ? [{ step: 'path', separator: BETWEEN_LEVELS, root: 'PRIMARY' }] : [];
  const rule: ProposedRule = { to: CATEGORY, from, combine: 'join', joinWith: BETWEEN_LEVELS, steps };
  const { paths, wrong, inner } = categoryPaths(values, { steps, split: undefined }, places);
  const rest = askForRest(draft, top.named.column, rule, places);
  if (!isComplete) askForValues(draft, from[0] ?? '', values.length, draft.cellOf(top.named.column));
  const reason = [
    `Each of ${from.map((name) => quoted(name)).join(', ')} has one level of a category: they are joined.`,
    categoriesText(paths, isComplete),
    ...wordsOf(inner, wrong),
    ...emptyText(draft, top.named.column),
  ].join(' ');
  const samples = values.slice(0, 5).map((value) => value.slice(0, 100));
  const verdict = isComplete && rest === null ? 'likely' : 'ambiguous';
  const line = lineOf(top.named, { from, to: CATEGORY, as: 'category', verdict, reason, samples });
  draft.planned.set(top.named.column.index, { rule, line });
  return { indexes: columns.map(({ named }) => named.column.index), ...withRest(paths, rest, isComplete) };
}

function planColumn(
  draft: Draft,
  { named, candidates }: Matched,
  rivals: readonly Matched[],
  places: ReadonlyMap<string, DefinitionCategory>,
): PlannedCategory {
  const { values } = named;
  // A word for no value is no category either, unless there is one of this name.
  const words = unmistakableWords(
    named,
    [...places.values()].map(({ name }) => name),
  );
  const { words: noted = [], count = 0 } = named.note?.nothing ?? {};
  const emptied = words.length === noted.length ? count : 0;
  const column = { ...named.column, filled: named.column.filled - emptied };
  // Where each value occurs once, none are kept for options, but the first ones are known.
  const kept =
    draft.inspection.kept.find(({ index }) => index === column.index) ??
    (column.values === null ? undefined : { values: column.values, isComplete: true });
  const doubt = column.path === null ? mayBePaths(kept?.values ?? [], places) : undefined;
  const separator = column.path?.value ?? (doubt?.isKnown ? doubt.sign : null);
  const plain = ruleOf(column.name, separator, column.list?.value ?? null, values ?? []);
  const emptying = emptyingStep(words);
  const rule = emptying === null ? plain : { ...plain, steps: [emptying, ...plain.steps] };
  const meant = (kept?.values ?? []).filter((value) => !words.includes(value));
  const { paths, wrong, inner } = categoryPaths(meant, rule, places);
  const as = candidates.find(({ target }) => target.as === 'category');
  const isNamed = as !== undefined && as.way !== 'meaning';
  const matched: Verdict =
    rivals.length > 0 ? 'ambiguous' : isNamed || (as !== undefined && column.path !== null) ? 'certain' : 'likely';
  const cell = draft.cellOf(column);
  const others: CategoryPath[] = [];
  if (rivals.length > 0) {
    const readings = [{ named }, ...rivals].slice(0, MOST_OFFERED).map(({ named: other }): OpenAnswer => {
      const own = ruleOf(other.column.name, other.column.path?.value ?? null, other.column.list?.value ?? null, []);
      others.push(...categoryPaths(other.values ?? [], own, places).paths);
      return {
        value: other.column.name,
        label: `the column ${quoted(other.column.name)}`,
        ...draft.cellOf(other.column),
        rules: [own],
      };
    });
    draft.questions.push({
      about: 'category',
      column: null,
      question: 'Which column says in which category an item is?',
      readings,
    });
  }
  const isList = column.list !== null && column.path !== null;
  if (isList) {
    const question = `An item is in one category, and cells of ${quoted(column.name)} have several. Is the first one enough?`;
    const readings = [{ value: 'first', label: 'the first category of each cell is used', ...cell }];
    draft.questions.push({ about: 'category', column: column.name, question, readings });
  }
  const rest = rivals.length > 0 ? null : askForRest(draft, column, rule, places);
  const isComplete = kept?.isComplete === true;
  if (!isComplete) askForValues(draft, column.name, kept?.values.length ?? 0, cell);
  const verdict = leastSure(
    matched,
    isList || rest !== null || !isComplete ? 'ambiguous' : 'certain',
    inner.length > 0 ||
      emptying !== null ||
      isSparse(draft, column) ||
      column.path?.verdict === 'likely' ||
      doubt !== undefined
      ? 'likely'
      : 'certain',
  );
  const reason = [
    as?.reason ?? 'Its values are paths.',
    column.path?.reason ?? doubt?.reason ?? 'Each value is the name of a top category.',
    categoriesText(paths, isComplete),
    ...wordsOf(inner, wrong),
    ...[emptiedText(named, words).trim()].filter((text) => text !== ''),
    ...emptyText(draft, column),
  ];
  const line = lineOf(named, {
    to: CATEGORY,
    as: 'category',
    verdict,
    reason: reason.join(' '),
  });
  draft.planned.set(column.index, { rule, line });
  return { indexes: [column.index], ...withRest([...paths, ...others], rest, isComplete) };
}

/** @param isComplete whether all cells are known, so that none names the category of the rest unless it is in the paths */
function withRest(paths: readonly CategoryPath[], rest: CategoryPath | null, isComplete: boolean) {
  const isIn = ({ names }: CategoryPath) => placeKey(names.slice(0, 1)) === placeKey(rest?.names ?? []);
  if (rest === null || paths.some(isIn)) return { paths };
  return { paths: [...paths, rest], ...(isComplete ? { rest } : {}) };
}

function ruleOf(name: string, separator: string | null, list: string | null, values: readonly string[]) {
  const mayBeIds = values.some((value) => LOOKS_LIKE_ID.test(value.trim()));
  const steps: Reading['step'][] = [
    { step: 'path', separator: separator ?? '->', ...(mayBeIds ? { root: 'PRIMARY' } : {}) },
  ];
  const isList = list !== null && separator !== null;
  return {
    to: CATEGORY,
    from: name,
    ...(isList ? { split: { separator: list, part: 1 } } : {}),
    steps: separator === null && !mayBeIds ? [] : steps,
  };
}

function askForValues(draft: Draft, column: string, known: number, cell: { row: number; example: string }): void {
  const what =
    known === 0
      ? 'none of its different values are known'
      : `only the first ${known} of its different values are known`;
  const question = `The column ${quoted(column)} has so many values that ${what}. Do the other categories exist already?`;
  const label = 'the import creates what is listed; rows of other categories fail unless these exist';
  draft.questions.push({ about: 'values', column, question, readings: [{ value: 'listed', label, ...cell }] });
}

/** No column says it: the categories that there are, a new one, or none, because all items exist already. */
function askForCategory(draft: Draft, places: ReadonlyMap<string, DefinitionCategory>): CategoryPath[] {
  const paths = leafPaths(draft.definitions, places, MOST_OFFERED);
  const fresh = categoryPath(['Items'], places);
  const offered =
    paths.some(({ path }) => path === fresh.path) || fresh.category !== undefined ? paths : [...paths, fresh];
  const header = draft.header();
  const readings = offered.map((place): OpenAnswer => {
    const rule: ProposedRule = { to: CATEGORY, constant: place.path, steps: [] };
    const what = place.category === undefined ? 'a new category' : 'the category';
    return { value: place.path, label: `all new items are in ${what} ${quoted(place.path)}`, ...header, rules: [rule] };
  });
  const none: OpenAnswer = { value: 'none', label: 'all items exist already; rows of others fail', ...header };
  const question = 'No column says in which category an item is. Where are new items created?';
  draft.questions.push({ about: 'category', column: null, question, readings: [...readings, none] });
  return offered;
}
