/** Whether an attribute can hold what a column holds. */
import type { AttributeDefinition, AttributeTypeName } from '../../catalog/model/attribute-definition.js';
import type { Column, ColumnType } from '../../inspection/model/column.js';

const HELD: Readonly<Record<ColumnType, readonly AttributeTypeName[]>> = {
  empty: ['TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATETIME', 'SERIAL', 'OPTIONS', 'URL'],
  text: ['TEXT', 'OPTIONS'],
  integer: ['INTEGER', 'DECIMAL', 'SERIAL', 'TEXT', 'OPTIONS'],
  decimal: ['DECIMAL', 'TEXT', 'OPTIONS'],
  boolean: ['BOOLEAN', 'TEXT', 'OPTIONS'],
  date: ['DATETIME', 'TEXT'],
  datetime: ['DATETIME', 'TEXT'],
  url: ['URL', 'TEXT'],
  html: ['TEXT'],
};

export function fitsType({ type }: Pick<Column, 'type'>, definition: AttributeDefinition | null): boolean {
  if (definition === null) return true;
  const readings = [type.value ?? 'text', ...(type.verdict === 'certain' ? [] : type.rivals)];
  return readings.some((reading) => HELD[reading].includes(definition.type));
}
