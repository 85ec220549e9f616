/** What can be wrong with one row: a closed list of codes, because clients branch on them. */

/**
 * Every code a row can fail with. Each is explained in docs/use/row-codes.md.
 * @internal exported for tests
 */
export const ROW_CODES = [
  'ROW_FIELD_COUNT',
  'ROW_NOT_OBJECT',
  'SKU_REQUIRED',
  'SKU_TOO_LONG',
  'SKU_EXISTS',
  'SKU_NOT_FOUND',
  'SKU_DUPLICATE_IN_REQUEST',
  'NODE_NOT_FOUND',
  'NODE_NOT_LEAF',
  'ATTRIBUTE_NOT_FOUND',
  'ATTRIBUTE_NOT_ASSIGNED',
  'ATTRIBUTE_REQUIRED',
  'VALUE_TYPE',
  'VALUE_RANGE',
  'VALUE_PATTERN',
  'VALUE_NOT_IN_OPTIONS',
  'VALUE_TOO_LONG',
  'VALUE_NOT_UNIQUE',
  'PARENT_NOT_FOUND',
  'BUNDLE_ITEM_NOT_FOUND',
  'BUNDLE_CYCLE',
  'FORMULA_NOT_SUPPORTED',
  'INVALID_TEXT',
  'ITEM_IN_USE',
  // Attribute rows.
  'NAME_REQUIRED',
  'NAME_RESERVED',
  'NAME_EXISTS',
  'NAME_DUPLICATE_IN_REQUEST',
  'TYPE_REQUIRED',
  'TYPE_IN_USE',
  'ATTRIBUTE_IN_USE',
  'FIELD_INVALID',
  // Category rows.
  'CATEGORY_EXISTS',
  'CATEGORY_TOO_DEEP',
  'NODE_HOLDS_ITEMS',
  'NODE_NOT_PRIMARY',
] as const;
export type RowCode = (typeof ROW_CODES)[number];

/** Problems of one row that are told. Whoever sends more than that has another problem. */
export const MAX_ROW_PROBLEMS = 100;

/** Why a row, or one cell of it, was not applied. `column` is a header or attribute name; null: the row as a whole. */
export interface RowProblem {
  readonly code: RowCode;
  readonly column: string | null;
  readonly message: string;
  /** The value at fault, cut to 200 characters. */
  readonly value?: string;
}
