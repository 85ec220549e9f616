/** The attribute file: its columns, and how a row of it becomes a bulk element and a definition a row. */
import type { AttributeDefinition } from '../attribute-definition.js';

/** The columns of a file, by their place; null: ignored. */
export type AttributeColumns = readonly (string | null)[];

export function attributeTemplateHeader(valueColumns = 5): string[] {
  throw new Error(`not written yet: ${valueColumns}`);
}

/** @throws RejectedInput for an unknown or duplicate column, or when there is no `Attribute Title` */
export function resolveAttributeHeader(cells: readonly string[]): AttributeColumns {
  throw new Error(`not written yet: ${cells.length}`);
}

/** The row as an element for parseAttributeInput. */
export function attributeFromCells(columns: AttributeColumns, cells: readonly string[]): Record<string, unknown> {
  throw new Error(`not written yet: ${columns.length} ${cells.length}`);
}

/** The cells of a definition, in the order of `attributeTemplateHeader(valueColumns)`. */
export function attributeToCells(definition: AttributeDefinition, valueColumns = 5): string[] {
  throw new Error(`not written yet: ${definition.id} ${valueColumns}`);
}
