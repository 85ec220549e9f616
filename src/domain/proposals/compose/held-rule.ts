/** What a rule of a saved profile fills with a file's columns: an attribute that there is, or one that is missing. */
import type { AttributeElement } from '../../catalog/attributes/attribute-input.js';
import type { AttributeTypeName } from '../../catalog/model/attribute-definition.js';
import { valueConverter } from '../../profiles/convert-values.js';
import type { ColumnRule } from '../../profiles/model/column-rule.js';
import { newAttribute } from '../columns/new-attribute.js';
import type { NamedColumn } from '../match/candidates.js';

/** What is known of the values that a rule makes; null: not all of them are known. */
export function valuesOfRule({ from, steps, split }: ColumnRule, columns: readonly NamedColumn[]): string[] | null {
  const [column, ...others] = columns;
  if (column === undefined || others.length > 0 || split !== undefined || from === undefined) return null;
  if (column.values === null) return null;
  const convert = valueConverter(steps);
  return [...new Set(column.values.flatMap((value) => convert(value) ?? []))];
}

/** The attribute that a rule needs and that the catalog lacks, as the file's values are after its steps. */
export function attributeOfRule(
  rule: ColumnRule & { readonly to: string },
  columns: readonly NamedColumn[],
): AttributeElement & { readonly name: string } {
  const { to: name, steps } = rule;
  const [column, ...others] = columns;
  const text = { name, type: 'TEXT' } as const;
  const typed = steps.map(({ step }) => TYPES[step]).findLast((type) => type !== undefined);
  if (steps.some(({ step }) => step === 'list')) return text;
  if (typed !== undefined) {
    const isWhole = typed === 'DECIMAL' && column?.column.type.value === 'integer' && others.length === 0;
    return { name, type: isWhole && newAttribute(column, name).element.type === 'INTEGER' ? 'INTEGER' : typed };
  }
  if (column === undefined || others.length > 0 || takesPart(rule, column)) return text;
  const { element } = newAttribute({ ...column, values: valuesOfRule({ ...rule, split: undefined }, columns) }, name);
  return READ_AS_THEY_ARE[element.type]?.(column) === false ? text : element;
}

/** Whether a rule takes a part of cells; the first part of those without its separator is all of them. */
function takesPart({ split }: ColumnRule, { values }: NamedColumn): boolean {
  if (split === undefined) return false;
  const { separator, part } = split;
  if (separator === undefined || part !== 1) return true;
  return values === null || values.some((value) => value.includes(separator));
}

/** What a step makes of every value. */
const TYPES: Readonly<Record<string, AttributeTypeName>> = { number: 'DECIMAL', date: 'DATETIME', boolean: 'BOOLEAN' };

/** Whether an import reads the values of a column without a step. */
const READ_AS_THEY_ARE: Readonly<Partial<Record<AttributeTypeName, (column: NamedColumn) => boolean>>> = {
  INTEGER: isPlainNumber,
  DECIMAL: isPlainNumber,
  BOOLEAN: ({ column: { boolean } }) =>
    boolean !== null && [...boolean.true, ...boolean.false].every((word) => /^(?:true|false|yes|no|1|0)$/i.test(word)),
  DATETIME: ({ column: { date } }) => date?.formats.value?.every((format) => format.startsWith('yyyy-MM-dd')) === true,
};

function isPlainNumber({ column: { number } }: NamedColumn): boolean {
  if (number === null) return false;
  const { decimal, thousands, currency, units } = number;
  const isForeign = decimal.value === ',' || decimal.verdict === 'ambiguous' || (thousands.value ?? '') !== '';
  return !isForeign && currency.length === 0 && units.length === 0;
}
