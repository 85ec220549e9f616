/** Notes what is striking about the cells of attribute files: numbers that could be read both ways, and values without effect. */
import { resolveAttributeHeader, WITHOUT_EFFECT } from '../../catalog/attributes/attribute-columns.js';
import { decimalCells } from '../../catalog/attributes/decimal-cells.js';
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import { quoted } from '../../kernel/value-problem.js';
import type { CellNotes } from '../pipeline/noting-rows.js';

/**
 * The values of a row are one list, so that a number in one of the columns `Value 1`, `Value 2` and so on tells how those
 * in the others are meant.
 * @param headerCells the header of a file; null for JSON, which is decided
 */
export function attributeCellNotes(
  headerCells: readonly string[] | null,
  decimalSeparator: '.' | ',' | undefined,
): CellNotes | undefined {
  if (headerCells === null) return undefined;
  const columns = resolveAttributeHeader(headerCells);
  const valueColumns = columns.filter((column) => column?.startsWith('Value '));
  return {
    isDecided: decimalSeparator !== undefined,
    note: ({ cells, quoted: inQuotes }, notes) => {
      for (const column of WITHOUT_EFFECT) {
        const cell = cells[columns.indexOf(column)] ?? '';
        if (cell === '' || cell === 'NULL') continue;
        notes.note('VALUE_IGNORED', column, () => ({ value: quoted(cell), stored: '' }));
      }
      for (const { index, column, text, isRefused, doubt } of decimalCells(columns, cells, decimalSeparator)) {
        // In the copy of a workbook, numbers are not in quotes: they have one meaning.
        if (inQuotes?.[index] === 0) continue;
        if (isRefused) {
          if (doubt.isContrary(text))
            notes.note('NUMBER_CONTRARY', column, () => ({ value: quoted(text), stored: '' }));
          continue;
        }
        const stored = String(canonicalDecimal(text.trim(), decimalSeparator ?? '.'));
        if (doubt.isAmbiguous(text, stored)) {
          notes.note('NUMBER_AMBIGUOUS', column, () => ({ value: quoted(text), stored }));
        } else if (doubt.isDecisive(text, stored)) {
          for (const one of valueColumns.includes(column) ? valueColumns : [column]) notes.decide(one as string);
        }
      }
    },
  };
}
