/** Applies the rules of a profile to a row of the source: what an export by the profile compares its rows with. */
import type { ColumnRule } from '../model/column-rule.js';
import { compileStep } from '../steps/registry.js';

/** What a rule makes of a row; null: a step fails. */
export type Forward = (row: readonly string[]) => string | null;

type Convert = (text: string) => string | null;

/** @param places where the sources of the rule are in a row */
export function compileForward(rule: ColumnRule, places: readonly number[]): Forward {
  const convert = compileSteps(rule.steps);
  const { constant, combine, joinWith = ' ', split } = rule;
  if (constant !== undefined) {
    const value = convert(constant);
    return () => value;
  }
  const cut = cutter(split);
  if (places.length === 1) {
    const [place = 0] = places;
    return (row) => convert(cut(row[place] ?? ''));
  }
  const filled = (row: readonly string[]) =>
    places.map((place) => (row[place] ?? '').trim()).filter((text) => text !== '');
  if (combine === 'join') return (row) => convert(cut(filled(row).join(joinWith)));
  return (row) => convert(cut(filled(row)[0] ?? ''));
}

function cutter(split: ColumnRule['split']): (text: string) => string {
  if (split === undefined) return (text) => text;
  const { separator, part, start, end } = split;
  if (separator !== undefined) return (text) => text.split(separator)[(part ?? 1) - 1]?.trim() ?? '';
  return (text) =>
    [...text]
      .slice((start ?? 1) - 1, end)
      .join('')
      .trim();
}

function compileSteps(steps: ColumnRule['steps']): Convert {
  const at = steps.findIndex(({ step }) => step === 'list');
  const list = steps[at];
  if (list === undefined || list.step !== 'list') return chain(steps);
  const before = chain(steps.slice(0, at));
  const each = chain(steps.slice(at + 1));
  return (text) => {
    const whole = before(text);
    if (whole === null || whole === '') return whole;
    const values = whole.split(list.separator).map((value) => each(value.trim()));
    return values.includes(null) ? null : values.filter((value) => value !== '').join(';');
  };
}

function chain(steps: ColumnRule['steps']): Convert {
  const compiled = steps.map(compileStep);
  return (text) => {
    let value = text;
    for (const { name, convert } of compiled) {
      if ((value === '') !== (name === 'default')) continue;
      const converted = convert(value);
      if (typeof converted !== 'string') return null;
      value = converted;
    }
    return value;
  };
}
