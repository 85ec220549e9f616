/** The way back through the steps of a rule: from a cell of ours to the cell that the file had. */
import type { ColumnRule } from '../model/column-rule.js';
import { inverseOf } from '../steps/registry.js';

type WriteBack = (text: string) => string | null;

/** @returns what may have been in the file; null when a step says that it makes no such text */
export function compileInverse(steps: ColumnRule['steps']): WriteBack {
  const at = steps.findIndex(({ step }) => step === 'list');
  const list = steps[at];
  if (list === undefined || list.step !== 'list') return chain(steps);
  const before = chain(steps.slice(0, at));
  const each = chain(steps.slice(at + 1));
  return (text) => {
    const values = text.split(';').map(each);
    return values.includes(null) ? null : before(values.join(list.separator));
  };
}

function chain(steps: ColumnRule['steps']): WriteBack {
  const inverses = steps.map((step) => inverseOf(step).write).reverse();
  return (text) => {
    let value: string | null = text;
    for (const write of inverses) {
      value = write(value);
      if (value === null) return null;
    }
    return value;
  };
}
