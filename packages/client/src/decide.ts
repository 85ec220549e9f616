/** Decides what a proposal has left open, by what each of its readings carries. */
import type { OpenQuestion, ProposedImportProfile } from './generated/types.js';
import type { InputOf } from './operations.js';

/** A profile in which nothing is open: it can be imported, and saved. */
export type DecidedProfile = InputOf<'createImportProfile'>['body']['profile'];

type ProposedRule = ProposedImportProfile['columns'][number];
type OpenAnswer = OpenQuestion['readings'][number];

/**
 * The profile with one more thing decided; undefined when nothing is open that the value would decide. A question about
 * the column goes before the steps of its rule.
 * @param column of the file; null: the file as a whole
 * @param value of one of the readings
 */
export function decide(
  profile: ProposedImportProfile,
  column: string | null,
  value: string,
): ProposedImportProfile | undefined {
  return answerQuestion(profile, column, value) ?? (column === null ? undefined : decideStep(profile, column, value));
}

function answerQuestion(
  profile: ProposedImportProfile,
  column: string | null,
  value: string,
): ProposedImportProfile | undefined {
  const { undecided = [], ...others } = profile;
  const at = undecided.findIndex((each) => {
    return each.column === column && each.readings.some((reading) => reading.value === value);
  });
  const answer = undecided[at]?.readings.find((reading) => reading.value === value);
  if (answer === undefined) return undefined;
  const left = undecided.filter((_, index) => index !== at);
  return {
    ...others,
    format: { ...profile.format, ...answer.format },
    columns: withRules(profile.columns, answer.rules ?? []),
    ...(left.length > 0 ? { undecided: left } : {}),
  };
}

/** The rules take the place of those for the same column of the file. A rule that fills the same column of ours ends. */
function withRules(columns: readonly ProposedRule[], rules: NonNullable<OpenAnswer['rules']>): ProposedRule[] {
  let changed = [...columns];
  for (const rule of rules) {
    const at = changed.findIndex((other) => other.from !== undefined && sameSource(other, rule));
    if (at >= 0) changed[at] = rule;
    else changed.push(rule);
    changed = changed.flatMap((other) => {
      if (other === rule || other.to === null || rule.to === null) return [other];
      if (nameKey(other.to) !== nameKey(rule.to)) return [other];
      return other.from === undefined ? [] : [{ to: null, from: other.from, steps: [] }];
    });
  }
  return changed;
}

function sameSource({ from: one }: ProposedRule, { from: other }: ProposedRule): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function decideStep(profile: ProposedImportProfile, column: string, value: string): ProposedImportProfile | undefined {
  for (const [index, rule] of profile.columns.entries()) {
    if (rule.from !== column && !(Array.isArray(rule.from) && rule.from.includes(column))) continue;
    for (const [at, step] of rule.steps.entries()) {
      const reading = 'undecided' in step ? step.undecided.find((each) => each.value === value) : undefined;
      if (reading === undefined) continue;
      const decided = { ...rule, steps: rule.steps.map((each, place) => (place === at ? reading.step : each)) };
      return { ...profile, columns: profile.columns.map((each, place) => (place === index ? decided : each)) };
    }
  }
  return undefined;
}

/** Names of our columns are compared without case and outer blanks. */
function nameKey(name: string): string {
  return name.trim().normalize('NFC').toUpperCase().toLowerCase();
}

/** Whether nothing is left open, so that the profile can be imported and saved. */
export function isDecided(profile: ProposedImportProfile): profile is ProposedImportProfile & DecidedProfile {
  const isOpen = profile.columns.some(({ steps }) => steps.some((step) => 'undecided' in step));
  return !isOpen && (profile.undecided ?? []).length === 0;
}
