/** The values of a column that do not fit what its other values are. */
import { FORM } from '../cells/number-forms.js';
import { ORDER } from '../cells/read-date.js';
import type { Signature, Trait } from '../cells/signature.js';
import type { ColumnType, CounterExample } from '../model/column.js';

const MAX_SHOWN = 20;

const WHAT: Readonly<Record<ColumnType, string>> = {
  empty: 'no value',
  text: 'a text',
  integer: 'a whole number',
  decimal: 'a number in this form',
  boolean: 'one of the words for yes and no',
  date: 'a date in this format',
  datetime: 'a date with a time in this format',
  url: 'a URL',
  html: 'a text',
};

/** @param fits whether a signature is what the column is */
export function counterExamplesAmong(
  signatures: readonly Signature[],
  fits: (trait: Trait) => boolean,
  type: ColumnType | null,
): { counterExamples: CounterExample[]; counterExampleCount: number } {
  const others = signatures.filter(({ trait }) => !fits(trait));
  const shown = others.flatMap(({ trait, examples }) =>
    examples.map(({ row, value }) => ({ row, value, reason: reasonOf(trait, type ?? 'text') })),
  );
  return {
    counterExamples: shown.sort((a, b) => a.row - b.row).slice(0, MAX_SHOWN),
    counterExampleCount: others.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Whether a cell has a code of which a spreadsheet has kept the first digits alone. */
export function isRounded(trait: Trait): boolean {
  return trait.kind === 'number' && trait.form >= FORM.roundedPoint && trait.form <= FORM.rounded;
}

function reasonOf(trait: Trait, type: ColumnType): string {
  switch (trait.kind) {
    case 'nothing':
      return 'The cell stands for no value.';
    case 'marked':
      return 'The cell has no value that can be read, for example a formula that failed.';
    case 'html':
      return type === 'text' ? 'The text has HTML.' : `This is HTML, not ${WHAT[type]}.`;
    case 'date':
      if (trait.formats.size === 0) return 'There is no such day.';
      if (type === 'date' || type === 'datetime') {
        const [format] = [ORDER.dayFirst, ORDER.monthFirst, ORDER.yearFirst].flatMap(
          (order) => trait.formats.get(order) ?? [],
        );
        return `The date is written as ${format}, unlike the others.`;
      }
      return `This is not ${WHAT[type]}.`;
    case 'number':
      return type === 'text' && isRounded(trait)
        ? 'A spreadsheet has written the code as a number, and its last digits are lost.'
        : `This is not ${WHAT[type]}.`;
    default:
      return `This is not ${WHAT[type]}.`;
  }
}
