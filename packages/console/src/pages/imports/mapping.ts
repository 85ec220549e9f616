/** How a file is read: what was proposed, with what was answered and changed. Nothing here asks the API. */
import { type Accepted, accepted, decide, type OpenQuestion, openQuestions, type schemas } from '@longshore/client';

type Proposal = schemas.ImportProposal;

/** By the key of a question: the reading that was chosen. */
export type Answers = Readonly<Record<string, string>>;
/** By the column of the file: the column of ours that was chosen for it, or the name of a new attribute; null: it is not imported. */
export type Targets = Readonly<Record<string, string | null>>;

export interface Asked extends OpenQuestion {
  readonly key: string;
  /** What a question about the file or a column is about; undefined: it is about how values are read. */
  readonly about: string | undefined;
  readonly answer: string | undefined;
}

export interface Mapping {
  readonly proposal: Proposal;
  /** All questions in their order, also those that are answered: an answer can be changed. */
  readonly asked: readonly Asked[];
}

export function mappingOf(found: Proposal, answers: Answers): Mapping {
  const asked: Asked[] = [];
  let proposal = found;
  for (;;) {
    // An answer may bring questions of its own.
    const next = openQuestions(proposal).find((question) => !asked.some(({ key }) => key === keyOf(question)));
    if (next === undefined) break;
    const key = keyOf(next);
    const chosen = next.readings.find(({ value }) => value === answers[key])?.value;
    const about = proposal.profile.undecided?.find(({ question }) => question === next.question)?.about;
    asked.push({ ...next, key, about, answer: chosen });
    if (chosen !== undefined) proposal = decide(proposal, { [next.column]: chosen });
  }
  return { proposal, asked };
}

function keyOf({ column, readings }: OpenQuestion): string {
  return JSON.stringify([column, readings.map(({ value }) => value)]);
}

/** @returns undefined while something is open */
export function acceptedOf({ proposal, asked }: Mapping): Accepted | undefined {
  return asked.some(({ answer }) => answer === undefined) ? undefined : accepted(proposal);
}

/** What a column becomes now; undefined: no rule names it. */
export function targetOf({ proposal }: Mapping, from: string | readonly string[]): string | null | undefined {
  return proposal.profile.columns.find((rule) => String(rule.from) === String(from))?.to;
}

/** What the catalog lacks, and which of it is created. */
export const CREATABLE = ['attributes', 'options', 'categories', 'assignments'] as const;
export type Creatable = (typeof CREATABLE)[number];
export type Creation = Readonly<Record<Creatable, boolean>>;

/** How many definitions of each kind the catalog lacks. */
export function lackingOf({ missing }: Proposal): Readonly<Record<Creatable, number>> {
  const sum = (lists: readonly (readonly unknown[])[]) => lists.reduce((total, list) => total + list.length, 0);
  return {
    attributes: missing.attributes.length,
    options: sum(missing.options.map(({ values }) => values)),
    categories: missing.categories.length,
    assignments: sum(missing.assignments.map(({ attributes }) => attributes)),
  };
}

/** What is written in a profile for the category of an item. */
const CATEGORY_NAMES: readonly string[] = ['category node', 'hierarchy node'];

/**
 * A proposal that lists as missing only what the profile fills, as far as it is decided: it lists what each reading would
 * need, and the import creates no more than this.
 */
export function neededOf(proposal: Proposal): Proposal {
  const { missing, profile } = proposal;
  const keyOfName = (name: string | null | undefined) => (name ?? '').trim().toLowerCase();
  const open = new Set((profile.undecided ?? []).filter(({ about }) => about !== 'rows').map(({ column }) => column));
  // What a column becomes that is asked about is not known yet.
  const rules = profile.columns.filter(({ from }) => !open.has(String(from)));
  const filled = new Set(rules.map(({ to }) => keyOfName(to)));
  const isFilled = (name: string | null | undefined) => filled.has(keyOfName(name));
  const rule = profile.columns.find(({ to }) => CATEGORY_NAMES.includes(keyOfName(to)));
  const place = rule?.constant === undefined ? undefined : `${placeOf(rule.constant)}->`;
  const isNamed = (category: string) =>
    rule !== undefined && (place === undefined || place.startsWith(`${placeOf(category)}->`));
  return {
    ...proposal,
    missing: {
      attributes: missing.attributes.filter(({ name }) => isFilled(name)),
      options: missing.options.filter(({ attribute }) => isFilled(attribute)),
      categories: missing.categories.filter(isNamed),
      assignments: missing.assignments.filter(
        ({ category, attributes }) => isNamed(category) && attributes.some(isFilled),
      ),
    },
  };
}

function placeOf(path: string): string {
  return path.replace(/^PRIMARY->/, '').toLowerCase();
}
