/** Reads a row of an attribute file: converts it to the element of a bulk request and checks it in the same way. */
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeLocale, AttributeTypeName } from '../attribute-definition.js';
import { ATTRIBUTE_TYPE_NAMES } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { Doubt } from '../compiled-attribute.js';
import type { AttributeType, FileForm, TypeField } from '../types/attribute-type.js';
import { booleanFromText } from '../types/boolean.js';
import { textOfCell } from '../types/cell-text.js';
import { decimalDoubt } from '../types/decimal.js';
import { integerFromText } from '../types/integer.js';
import type { AttributeColumn, AttributeColumns } from './attribute-columns.js';
import { attributeColumnOf, FILE_TYPES } from './attribute-columns.js';
import type { AttributeAction, AttributeInput } from './parse-attribute-input.js';
import { parseAttributeInput } from './parse-attribute-input.js';

// The types of attributes as files name them.

interface NamedForm {
  readonly type: AttributeTypeName;
  readonly form: FileForm;
}

const FORMS: readonly NamedForm[] = ATTRIBUTE_TYPE_NAMES.flatMap((type) => {
  const { fileForms }: AttributeType = ATTRIBUTE_TYPES[type];
  return fileForms.map((form) => ({ type, form }));
});

/** The file types whose meaning depends on the column `Decimal`. */
const FILE_TYPES_WITH_DECIMALS: readonly string[] = FILE_TYPES.filter((fileType) =>
  FORMS.some(({ form }) => form.fileType === fileType && form.decimal === true),
);

/** The file type that a cell names, ignoring case and spaces; undefined when it names none. */
function fileTypeFrom(text: string): string | undefined {
  const name = text.trim().toUpperCase().replace(/\s+/g, ' ');
  return FILE_TYPES.find((type) => type === name);
}

/**
 * What a file type and its `Decimal` cell stand for. NUMBER is DECIMAL unless `Decimal` is false. The options of LOV
 * are text if `Decimal` is empty, whole numbers if it is false, and decimals if it is true.
 * @param fileType one of FILE_TYPES
 * @internal exported for tests
 */
export function typeNamedBy(fileType: string, decimal: boolean | undefined): NamedForm {
  const named = FORMS.filter(({ form }) => form.fileType === fileType);
  const exact = named.find(({ form }) => form.decimal === decimal);
  const found = exact ?? named.find(({ form }) => form.decimal === undefined);
  if (found === undefined) throw new Error(`no attribute type has the file type ${fileType}`);
  return found;
}

/** All types that a file type may stand for, depending on its `Decimal` cell. */
function typesNamedBy(fileType: string): readonly AttributeTypeName[] {
  return [...new Set(FORMS.filter(({ form }) => form.fileType === fileType).map(({ type }) => type))];
}

/** An element for parseAttributeInput. */
type AttributeElementFromCells = Record<string, unknown>;

/**
 * Returns the row as an input, or all its problems, which name the file's columns.
 *
 * @param action the action of the file's mode: INSERT, UPSERT or UPDATE
 */
export function parseAttributeRow(
  columns: AttributeColumns,
  cells: readonly string[],
  action: AttributeAction,
  decimalSeparator: '.' | ',' = '.',
): AttributeInput | RowProblem[] {
  const element = attributeFromCells(columns, cells, decimalSeparator);
  if (Array.isArray(element)) return element;
  const input = parseAttributeInput(element, action);
  const row = new AttributeRow(columns, cells);
  if (Array.isArray(input)) return inColumns(input, row.valueColumns());
  const fileType = fileTypeFrom(row.text('Type of Attribute') ?? '');
  return fileType === undefined || row.text('Decimal') ? input : { ...input, possibleTypes: typesNamedBy(fileType) };
}

/** Replaces the names of fields in problems, such as those of `decideAttributeChange`, by the file's columns. */
export function inColumns(problems: readonly RowProblem[], valueColumns?: readonly AttributeColumn[]): RowProblem[] {
  return problems.map((problem) => {
    const column = attributeColumnOf(problem.column ?? '', valueColumns);
    if (column === null || problem.column === null) return problem;
    const message = problem.message.replace(`${problem.column} `, `${column} `);
    return { ...problem, column, message };
  });
}

/**
 * An empty cell leaves the field as it is, `NULL` clears it, and `\NULL` is the text NULL. typeNamedBy explains
 * `Decimal`. `Start With` is the first number of a SERIAL, or the beginning of a text. The values are the options of a
 * LOV, or the only allowed values of another type.
 *
 * @returns the element, or the problems of cells that cannot be converted to fields
 * @internal exported for tests
 */
export function attributeFromCells(
  columns: AttributeColumns,
  cells: readonly string[],
  decimalSeparator: '.' | ',' = '.',
): AttributeElementFromCells | RowProblem[] {
  const row = new AttributeRow(columns, cells);
  const fileType = row.fileType();
  const decimal = row.flag('Decimal');
  row.refuseUnsupported();
  row.refuseUntyped(fileType);
  if (decimal && fileType !== undefined && !FILE_TYPES_WITH_DECIMALS.includes(fileType)) {
    const which = FILE_TYPES_WITH_DECIMALS.join(' and ');
    row.fail('FIELD_INVALID', 'Decimal', `is for ${which}; this row is ${fileType}: clear the cell`);
  }
  const named = fileType === undefined ? undefined : typeNamedBy(fileType, decimal ?? undefined);
  const parts: readonly TypeField[] = named === undefined ? [] : ATTRIBUTE_TYPES[named.type].fields;
  const [isSerial, hasOptions] = [parts.includes('serialStart'), parts.includes('options')];
  const numeric = named?.form.numerals === true;
  const number = (column: AttributeColumn) => (numeric ? row.decimal(column, decimalSeparator) : row.text(column));
  const values = row.values(number);
  const element: AttributeElementFromCells = {
    ...(named === undefined ? {} : { type: named.type, ...named.form.fields }),
    name: row.text('Attribute Title'),
    description: row.text('Description'),
    format: row.text('Date Format'),
    serialStart: isSerial ? row.integer('Start With') : undefined,
    options: hasOptions ? values : undefined,
    locales: row.locales(),
    mapping: row.roles(),
    validation: {
      required: row.flag('Mandatory'),
      unique: row.flag('Unique'),
      inheritable: row.flag('Inheritable'),
      contains: row.text('Contains'),
      startWith: isSerial ? undefined : row.text('Start With'),
      incrementBy: row.integer('Increment by'),
      range: { min: number('Min'), max: number('Max') },
      oneOf: hasOptions ? undefined : values,
      pattern: row.text('Pattern'),
      maxLength: row.integer('Max Length'),
    },
  };
  return row.problems.length > 0 ? row.problems : element;
}

/** The columns of the format that no attribute of ours has. */
export const WITHOUT_EFFECT: readonly AttributeColumn[] = ['Method', 'Size'];

/** A cell that is read as a decimal, and what may be doubtful about it. */
interface DecimalCell {
  readonly index: number;
  readonly column: AttributeColumn;
  readonly text: string;
  readonly isRefused: boolean;
  readonly doubt: Doubt;
}

/** The cells of a row that are read as decimals; none if it does not say its type. */
export function decimalCells(
  columns: AttributeColumns,
  cells: readonly string[],
  separator: '.' | ',' = '.',
): DecimalCell[] {
  const row = new AttributeRow(columns, cells);
  const fileType = fileTypeFrom(row.text('Type of Attribute') ?? '');
  if (fileType === undefined) return [];
  if (typeNamedBy(fileType, row.flag('Decimal') ?? undefined).form.numerals !== true) return [];
  return columns.flatMap((column, index) => {
    if (column === null || !(column === 'Min' || column === 'Max' || column.startsWith('Value '))) return [];
    const text = textOfCell(cells[index] ?? '');
    if (text === null || text === '') return [];
    const isRefused = typeof canonicalDecimal(text.trim(), separator) !== 'string';
    return [{ index, column, text, isRefused, doubt: decimalDoubt(separator) }];
  });
}

/** The cells of one row by column. Undefined stands for an empty cell, null for a field to clear. */
class AttributeRow {
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

// The `Locales` cell: `fr-FR: Couleur; de-DE: Farbe`, with `\;` and `\\` for a semicolon and a backslash in a name.

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
