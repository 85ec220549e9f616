/** Conversion between the row of an attribute and its definition. */
import { attributeKey } from '../kernel/attribute-key.js';
import type { AttributeDefinition, AttributeTypeName } from './model/attribute-definition.js';

/** The columns of `attribute` that hold a definition. */
export interface AttributeColumns {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  readonly type: string;
  readonly position: number;
  /** Everything of the definition that has no column: description, options, validation, … */
  readonly definition: Record<string, unknown>;
}

/** The definition that a row holds. */
export function definitionFromColumns(row: Omit<AttributeColumns, 'name_key'>): AttributeDefinition {
  return {
    validation: {},
    ...row.definition,
    id: row.id,
    name: row.name,
    type: row.type as AttributeTypeName,
    position: row.position,
  };
}

/** The row that holds a definition. */
export function columnsFromDefinition(definition: AttributeDefinition): AttributeColumns {
  const { id, name, type, position, ...rest } = definition;
  return { id, name, name_key: attributeKey(name), type, position, definition: rest };
}
