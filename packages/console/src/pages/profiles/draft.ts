/** What somebody has changed of a profile and not saved yet. It outlives a page that is loaded again. */
import type { schemas } from '@longshore/client';

export type Document = schemas.ImportProfileDocument;
export type Rule = Document['columns'][number];
export type Step = NonNullable<Rule['steps']>[number];
export type Format = NonNullable<Document['format']>;

/** A profile that is edited, and which version of it was read. */
export interface Draft {
  readonly version: number;
  readonly document: Document;
}

export function sourcesOf({ from }: Pick<Rule, 'from'>): readonly string[] {
  return from === undefined ? [] : typeof from === 'string' ? [from] : from;
}

/** The rule with the columns that it reads: one stands alone. */
export function withSources(rule: Rule, names: readonly string[]): Rule {
  const { from: _, combine: __, joinWith: ___, ...others } = rule;
  const [first = ''] = names;
  if (names.length < 2) return { ...others, from: first };
  const { combine = 'first', joinWith } = rule;
  return {
    ...others,
    from: [...names],
    combine,
    ...(combine === 'join' && joinWith !== undefined ? { joinWith } : {}),
  };
}

/** @param continuationRows undefined: no row continues another one */
export function withContinuation(document: Document, continuationRows: Document['continuationRows']): Document {
  const { continuationRows: _, ...others } = document;
  return continuationRows === undefined ? others : { ...others, continuationRows };
}

/** What is only being typed is no column yet. */
function typedContinuation({ continuationRows }: Document): Document['continuationRows'] {
  if (continuationRows === undefined) return undefined;
  const collect = continuationRows.collect.filter(({ column }) => column !== '');
  const isNothing = collect.length === 0 && continuationRows.when.column === '';
  return isNothing ? undefined : { ...continuationRows, collect };
}

/** The document without what is only being typed: rules of nothing, and conversions of what is not imported. */
export function cleaned(document: Document): Document {
  const columns = document.columns.flatMap((rule): Rule[] => {
    const { to, split: _, steps: __, ...others } = rule;
    const isNothing = (to ?? '') === '' && rule.constant === undefined;
    if (isNothing && sourcesOf(rule).every((name) => name === '')) return [];
    return isNothing ? [{ ...others, to: null }] : [rule];
  });
  return withContinuation({ ...document, columns }, typedContinuation(document));
}

/** The object without its members that say nothing. */
export function withoutEmpty<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')) as T;
}

export function isSame(one: Document, other: Document): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

/** Members may come in any order, but for the entries of tables, whose order means nothing either. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, member]) => [key, ordered(member)]));
}

/** Which of our columns, and what else, two documents say differently. */
export interface Difference {
  /** The column of ours; undefined: how the file is read. */
  readonly column: string | undefined;
  readonly theirs: string;
  readonly mine: string;
}

export function differencesOf(theirs: Document, mine: Document): readonly Difference[] {
  const { columns: ours, ...head } = mine;
  const { columns: others, ...otherHead } = theirs;
  const texts = (rules: readonly Rule[]) =>
    new Map(rules.map(({ to, ...rule }) => [to ?? `– ${String(rule.from)}`, JSON.stringify(ordered(rule))]));
  const [here, there] = [texts(ours), texts(others)];
  const names = [...new Set([...there.keys(), ...here.keys()])];
  const differing = names.filter((name) => here.get(name) !== there.get(name));
  const [form, otherForm] = [JSON.stringify(ordered(head)), JSON.stringify(ordered(otherHead))];
  return [
    ...(form === otherForm ? [] : [{ column: undefined, theirs: otherForm, mine: form }]),
    ...differing.map((column) => ({ column, theirs: there.get(column) ?? '–', mine: here.get(column) ?? '–' })),
  ];
}

/** Signs that one does not see stand as they are written in programs. */
export function visible(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

export function meant(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === 't' ? '\t' : '\\'));
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
