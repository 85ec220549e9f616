/** The cells of one row of an attribute file, read column by column. */
import { canonicalDecimal } from '../../../kernel/exact-decimal.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../../kernel/value-problem.js';
import type { AttributeLocale } from '../../model/attribute-definition.js';
import { booleanFromText } from '../../types/boolean.js';
import { textOfCell } from '../../types/cell-text.js';
import { integerFromText } from '../../types/integer.js';
import { type AttributeColumn, type AttributeColumns, FILE_TYPES } from '../attribute-columns.js';
import { fileTypeFrom } from '../file-types.js';

/** The cells of one row by column. Undefined stands for an empty cell, null for a field to clear. */
export class AttributeRow {
  readonly problems: RowProblem[] = [];
  readonly #cells = new Map<AttributeColumn, string>();

  constructor(columns: AttributeColumns, cells: readonly string[]) {
    columns.forEach((column, index) => {
      const cell = cells[index];
      if (column !== null && cell) this.#cells.set(column, cell);
    });
  }

  text(column: AttributeColumn): string | null | undefined {
    const cell = this.#cells.get(column);
    return cell === undefined ? undefined : textOfCell(cell);
  }

  flag(column: AttributeColumn): boolean | null | undefined {
    return this.#read(column, booleanFromText, 'is neither true nor false');
  }

  integer(column: AttributeColumn): number | null | undefined {
    return this.#read(column, (text) => integerFromText(text) ?? undefined, 'is not a whole number: write digits only');
  }

  /** Returns the number in canonical form, which no longer depends on the job's separator. */
  decimal(column: AttributeColumn, separator: '.' | ','): string | null | undefined {
    const read = (text: string): string | undefined => {
      const canonical = canonicalDecimal(text.trim(), separator);
      return typeof canonical === 'string' ? canonical : undefined;
    };
    return this.#read(
      column,
      read,
      `is not a number: write digits, with "${separator}" before decimals and no thousands separator`,
    );
  }

  locales(): unknown {
    return this.#read(
      'Locales',
      localesFromText,
      'is not a list of locales: write it like "fr-FR: Couleur; de-DE: Farbe"',
    );
  }

  /** `sku; title`: a single role as text, several as a list; null takes all away. */
  roles(): unknown {
    const text = this.text('Mapping');
    if (text === null) return null;
    const roles = text?.split(';').map((role) => role.trim()) ?? [];
    return roles.length > 1 ? roles : roles[0];
  }

  /** Undefined when the cell is empty, or names no type, which adds a problem. */
  fileType(): string | undefined {
    const text = this.text('Type of Attribute');
    if (text === undefined) return undefined;
    const fileType = fileTypeFrom(text ?? '');
    if (fileType !== undefined) return fileType;
    const nearest = nearestName(text ?? '', FILE_TYPES, (type) => type);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    this.fail('FIELD_INVALID', 'Type of Attribute', `is none of ${FILE_TYPES.join(', ')}${hint}`);
    return undefined;
  }

  /** The value columns that are not empty, by number. */
  valueColumns(): AttributeColumn[] {
    const columns = [...this.#cells.keys()].filter((column) => column.startsWith('Value '));
    return columns.sort((a, b) => Number(a.slice(6)) - Number(b.slice(6)));
  }

  /** All given values without gaps; null when only NULL is given. */
  values(read: (column: AttributeColumn) => string | null | undefined): string[] | null | undefined {
    const values = this.valueColumns().map(read);
    if (values.length === 0) return undefined;
    const texts = values.filter((value) => value !== null && value !== undefined);
    return texts.length === 0 ? null : texts;
  }

  refuseUnsupported(): void {
    for (const column of ['Calculation Formula', 'Validation Formula'] as const) {
      if (this.text(column))
        this.fail('FORMULA_NOT_SUPPORTED', column, 'holds a formula, which is not supported: clear the cell');
    }
  }

  /** Refuses cells whose meaning depends on the type in a row that names no type. */
  refuseUntyped(fileType: string | undefined): void {
    if (fileType !== undefined || this.#cells.has('Type of Attribute')) return;
    const columns: AttributeColumn[] = ['Decimal', 'Min', 'Max', 'Start With', ...this.valueColumns()];
    const column = columns.find((name) => this.#cells.has(name));
    if (column === undefined) return;
    this.fail('TYPE_REQUIRED', column, 'depends on the type: fill in Type of Attribute in this row');
  }

  fail(code: RowProblem['code'], column: AttributeColumn, what: string): void {
    const cell = this.#cells.get(column) ?? '';
    this.problems.push(new ValueProblem(code, `${column}: ${quoted(cell)} ${what}`, cell).at(column));
  }

  #read<T>(column: AttributeColumn, read: (text: string) => T | undefined, fault: string): T | null | undefined {
    const text = this.text(column);
    if (text === undefined || text === null) return text;
    const value = read(text);
    if (value === undefined) this.fail('FIELD_INVALID', column, fault);
    return value;
  }
}

/** Undefined when a part has no colon. */
function localesFromText(text: string): AttributeLocale[] | undefined {
  const parts = (text.match(/(?:[^;\\]|\\[\s\S]|\\$)+/g) ?? []).filter((part) => part.trim() !== '');
  const locales = parts.map((part) => {
    const colon = part.indexOf(':');
    const name = part.slice(colon + 1).replace(/\\([;\\])/g, '$1');
    return colon < 0 ? undefined : { locale: part.slice(0, colon).trim(), name: name.trim() };
  });
  const complete = locales.filter((locale) => locale !== undefined);
  return complete.length === locales.length ? complete : undefined;
}
