/** Decides what a proposal has left open. Nothing here asks the API. */
import { LongshoreError } from './error.js';
import type { FileReading } from './file-reading.js';
import type { ImportProfileDocument, ImportProposal } from './generated/types.js';

/**
 * By the name of a column of the file, the `value` of the reading that is right; several, if several questions are about
 * it. What concerns the whole file stands under what it is about: `kind`, `encoding`, `delimiter`, `headerRow`, `sheet`,
 * `rowPath`.
 */
export type Decisions = Readonly<Record<string, string | readonly string[]>>;

/** A question that somebody has to answer before the file is imported. */
export interface OpenQuestion {
  /** Under which a decision stands: a column of the file, or what of the whole file the question is about. */
  readonly column: string;
  readonly question: string;
  readonly readings: readonly Reading[];
}

interface Reading {
  /** What decides for this reading. */
  readonly value: string;
  /** What the example would mean. */
  readonly label: string;
  /** The row of the example in the file. */
  readonly row: number;
  readonly example: string;
}

type Profile = ImportProposal['profile'];
type Rule = Profile['columns'][number];
type Step = Rule['steps'][number];
type UndecidedStep = Extract<Step, { undecided: unknown }>;
type Asked = NonNullable<Profile['undecided']>[number];

/**
 * A proposal with these decisions; questions that they do not answer stay open.
 * @throws LongshoreError with the code DECISION_INVALID when there is no such question, or no such reading
 */
export function decide(proposal: ImportProposal, decisions: Decisions): ImportProposal {
  let { profile } = proposal;
  for (const [column, given] of Object.entries(decisions)) {
    // An answer to what a column is may bring steps that the next one decides.
    for (const value of typeof given === 'string' ? [given] : given)
      profile = decided(profile, column, value, proposal);
  }
  return { ...proposal, profile };
}

/** The questions of a proposal that are still open: those about columns and the file, then those about their values. */
export function openQuestions({ profile }: Pick<ImportProposal, 'profile'>): OpenQuestion[] {
  const asked = (profile.undecided ?? []).map(({ readings, question, ...about }) => ({
    column: subjectOf(about),
    question,
    readings: readings.map(shown),
  }));
  const ofSteps = profile.columns.flatMap((rule) =>
    rule.steps.filter(isUndecided).map(({ undecided }): OpenQuestion => {
      const column = sourcesOf(rule)[0] ?? '';
      const [first] = undecided;
      const cell = first === undefined ? '' : `${first.example} in row ${first.row} of "${column}"`;
      const labels = undecided.map(({ label }) => label);
      return { column, question: `Is ${cell} ${labels.join(', or ')}?`, readings: undecided.map(shown) };
    }),
  );
  return [...asked, ...ofSteps];
}

function shown({ value, label, row, example }: Reading): Reading {
  return { value, label, row, example };
}

/** What of a proposal an import is asked for. */
export interface Accepted {
  /** It can be saved as well. */
  readonly profile: ImportProfileDocument;
  /** It lists what each reading would need: the import creates of it what the profile fills. */
  readonly missing: ImportProposal['missing'];
}

/**
 * The profile of a proposal of which everything is decided, and what the catalog lacks for it: the body of an import.
 * @throws LongshoreError with the code UNDECIDED, and a problem for each question that is open
 */
export function accepted(proposal: ImportProposal): Accepted {
  const open = openQuestions(proposal);
  // Without open questions, the steps are those of a profile.
  if (open.length === 0) return { profile: proposal.profile as ImportProfileDocument, missing: proposal.missing };
  const problems = open.map(({ column, question, readings }) => {
    const ways = readings.map((one) => `"${one.value}" (row ${one.row}, "${one.example}": ${one.label})`);
    return { path: column, code: 'UNDECIDED', message: `${question} ${ways.join(' or ')}` };
  });
  const columns = open.map(({ column }) => `"${column}"`).join(', ');
  const message = `the file can be read in several ways: decide about ${columns}`;
  throw new LongshoreError(message, { code: 'UNDECIDED', problems });
}

/** What is decided about the form of a file: another reading has columns of its own, so that another proposal is needed. */
const FORM = ['encoding', 'delimiter', 'headerRow', 'sheet', 'rowPath'] as const;

/**
 * What of the form of the file was decided in another way than in the proposal: ask for the proposal with that, and decide
 * there about the rest. Undefined: the decisions are about this proposal.
 */
export function otherReading(proposal: Pick<ImportProposal, 'profile'>, decisions: Decisions): FileReading | undefined {
  const { profile } = proposal;
  for (const about of FORM) {
    const asked = profile.undecided?.find((one) => one.about === about);
    for (const value of valuesOf(decisions, about)) {
      // Without a question, the file was read as it was said before, and a column may have this name.
      const isOther = asked === undefined && !isSaid(profile, about, value) && !isColumn(profile, about);
      const reading = isOther
        ? readingOf(about, value)
        : asked?.readings.find((one) => one.value === value)?.format?.[about];
      if (reading !== undefined && reading !== profile.format?.[about]) return { [about]: reading };
    }
  }
  return undefined;
}

function valuesOf(decisions: Decisions, about: string): string[] {
  return Object.entries(decisions).flatMap(([subject, value]) => (isSame(subject, about) ? value : []));
}

/** Whether the file is read so already. */
function isSaid({ format }: Profile, about: string, value: string): boolean {
  const member = FORM.find((one) => isSame(one, about));
  return member !== undefined && String(format?.[member] ?? '') === value;
}

function isColumn({ columns }: Profile, name: string): boolean {
  return columns.some((rule) => sourcesOf(rule).some((source) => isSame(source, name)));
}

function readingOf(about: (typeof FORM)[number], value: string): string | number | undefined {
  if (about !== 'headerRow') return value;
  return /^[1-9]\d*$/.test(value) ? Number(value) : undefined;
}

/** The decisions that are left when the file is read like this. */
export function decisionsBeside(reading: FileReading, decisions: Decisions): Decisions {
  const about = Object.keys(reading);
  return Object.fromEntries(
    Object.entries(decisions).filter(([subject]) => !about.some((member) => isSame(member, subject))),
  );
}

function decided(profile: Profile, column: string, value: string, proposal: ImportProposal): Profile {
  for (const asked of profile.undecided ?? []) {
    if (!isSame(subjectOf(asked), column)) continue;
    const reading = asked.readings.find((one) => one.value === value);
    if (reading !== undefined) return answered(profile, asked, reading);
  }
  let isFound = false;
  const columns = profile.columns.map((rule) => {
    if (!sourcesOf(rule).some((source) => isSame(source, column))) return rule;
    const steps = rule.steps.map((step) => {
      const reading = isUndecided(step) ? step.undecided.find((one) => one.value === value) : undefined;
      if (reading === undefined) return step;
      isFound = true;
      return reading.step;
    });
    return { ...rule, steps };
  });
  if (isFound) return { ...profile, columns };
  if (isSaid(profile, column, value)) return profile;
  throw wrongDecision({ ...proposal, profile }, column, value);
}

/** The profile as an answer makes it, without its question. */
function answered(profile: Profile, asked: Asked, reading: Asked['readings'][number]): Profile {
  const { format, rules = [], skipRowsWhen = [] } = reading;
  const { undecided = [], ...others } = profile;
  const identifying = asked.about === 'key' ? rules.flatMap(sourcesOf) : [];
  // Of the column that identifies the rows, it is known what it is.
  const rest = undecided.filter(
    ({ column }, index) =>
      undecided[index] !== asked && (column === null || !identifying.some((source) => isSame(source, column))),
  );
  return {
    ...others,
    format: { ...profile.format, ...format },
    columns: rules.reduce(withRule, profile.columns),
    ...(skipRowsWhen.length === 0 ? {} : { skipRowsWhen: [...(profile.skipRowsWhen ?? []), ...skipRowsWhen] }),
    ...(rest.length === 0 ? {} : { undecided: rest }),
  };
}

/** The rule takes the place of that for the same column of the file. Another one that fills the same of ours ends. */
function withRule(rules: readonly Rule[], rule: Rule): Rule[] {
  const at = rules.findIndex(({ from }) => from !== undefined && String(from) === String(rule.from));
  const replaced = at === -1 ? [...rules, rule] : rules.map((other, index) => (index === at ? rule : other));
  return replaced.flatMap((other): Rule[] => {
    if (other === rule || other.to === null || rule.to === null || !isSame(other.to, rule.to)) return [other];
    return other.from === undefined ? [] : [{ to: null, from: other.from, steps: [] }];
  });
}

function wrongDecision(proposal: ImportProposal, column: string, value: string): LongshoreError {
  const open = openQuestions(proposal).filter((one) => isSame(one.column, column));
  const readings = open.flatMap((one) => one.readings).map((one) => `"${one.value}" (${one.label})`);
  const message =
    open.length === 0
      ? `there is nothing to decide about "${column}"`
      : `"${column}" cannot be decided by "${value}": decide for ${readings.join(' or ')}`;
  return new LongshoreError(message, { code: 'DECISION_INVALID' });
}

function isUndecided(step: Step): step is UndecidedStep {
  return 'undecided' in step;
}

function subjectOf({ column, about }: Pick<Asked, 'column' | 'about'>): string {
  return column ?? about;
}

function sourcesOf({ from }: Rule): readonly string[] {
  return from === undefined ? [] : typeof from === 'string' ? [from] : from;
}

/** Names of columns are compared without case and outer blanks. */
function isSame(a: string, b: string): boolean {
  return keyOf(a) === keyOf(b);
}

function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
