/** Decides what a proposal has left open, as a client does it: by what each reading carries. */
import { attributeKey } from '../kernel/attribute-key.js';
import type { OpenAnswer } from '../profiles/model/open-question.js';
import type { ProposedProfile } from '../profiles/model/profile.js';
import type { ProposedRule } from '../profiles/model/proposed-rule.js';

/**
 * The profile with one more thing decided; undefined when nothing is open that the value would decide. A question about
 * the column goes before the steps of its rule.
 * @param column of the file; null: the file as a whole
 * @param value of one of the readings
 */
export function decide(profile: ProposedProfile, column: string | null, value: string): ProposedProfile | undefined {
  return answerQuestion(profile, column, value) ?? (column === null ? undefined : decideStep(profile, column, value));
}

function answerQuestion(profile: ProposedProfile, column: string | null, value: string): ProposedProfile | undefined {
  const { undecided = [], ...others } = profile;
  const at = undecided.findIndex((each) => {
    return each.column === column && each.readings.some((reading) => reading.value === value);
  });
  const answer = undecided[at]?.readings.find((reading) => reading.value === value);
  if (answer === undefined) return undefined;
  const left = undecided.toSpliced(at, 1);
  return {
    ...others,
    format: { ...profile.format, ...answer.format },
    columns: withRules(profile.columns, answer.rules ?? []),
    ...(left.length > 0 ? { undecided: left } : {}),
  };
}

/** The rules take the place of those for the same column of the file. A rule that fills the same column of ours ends. */
function withRules(columns: readonly ProposedRule[], rules: NonNullable<OpenAnswer['rules']>): readonly ProposedRule[] {
  let changed = [...columns];
  for (const rule of rules) {
    const at = changed.findIndex((other) => other.from !== undefined && sameSource(other, rule));
    if (at >= 0) changed[at] = rule;
    else changed.push(rule);
    changed = changed.flatMap((other) => {
      if (other === rule || other.to === null || rule.to === null) return [other];
      if (attributeKey(other.to) !== attributeKey(rule.to)) return [other];
      return other.from === undefined ? [] : [{ to: null, from: other.from, steps: [] }];
    });
  }
  return changed;
}

function sameSource({ from: one }: ProposedRule, { from: other }: ProposedRule): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function decideStep(profile: ProposedProfile, column: string, value: string): ProposedProfile | undefined {
  for (const [index, rule] of profile.columns.entries()) {
    if (rule.from !== column && !(Array.isArray(rule.from) && rule.from.includes(column))) continue;
    for (const [at, step] of rule.steps.entries()) {
      const reading = 'undecided' in step ? step.undecided.find((each) => each.value === value) : undefined;
      if (reading === undefined) continue;
      const decided = { ...rule, steps: rule.steps.toSpliced(at, 1, reading.step) };
      return { ...profile, columns: profile.columns.toSpliced(index, 1, decided) };
    }
  }
  return undefined;
}
