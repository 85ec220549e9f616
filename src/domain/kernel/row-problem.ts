/** The problems of one row: their codes are a closed list, because clients handle them. */

/** Every code with which a row can fail. Each is explained in docs/use/row-codes.md. */
export const ROW_CODES = [
  'ROW_FIELD_COUNT',
  'ROW_NOT_OBJECT',
  'DUPLICATE_MEMBER',
  'ROW_SUPERSEDED',
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
  'PROFILE_STEP_FAILED',
  'ROW_CONTINUES_NONE',
  'ITEM_IN_USE',
  'CHANGED_SINCE',
  'CHANGED_SINCE_PREVIEW',
  'PROFILE_IN_USE',
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
  'CATEGORY_IN_USE',
  'CATEGORY_TOO_DEEP',
  'NODE_HOLDS_ITEMS',
  'NODE_NOT_PRIMARY',
] as const;
export type RowCode = (typeof ROW_CODES)[number];

/** Every code of a warning. Each is explained in docs/use/jobs.md. */
export type WarningCode =
  | 'NUMBER_AMBIGUOUS'
  | 'DATE_AMBIGUOUS'
  | 'VALUE_TRIMMED'
  | 'TEXT_MISREAD'
  | 'VALUE_IGNORED'
  | 'COLUMN_EMPTY'
  | 'COLUMN_NOT_MAPPED'
  | 'ROW_LEFT_OUT'
  | 'STAYS_AFTER_REVERT';

/** The most problems that are reported for one row. */
export const MAX_ROW_PROBLEMS = 100;

/** Why a row, or one cell of it, was not applied. `column` is a header or attribute name; null means the whole row. */
export interface RowProblem {
  readonly code: RowCode;
  readonly column: string | null;
  readonly message: string;
  /** The invalid value, cut to 200 characters. */
  readonly value?: string;
  /** Of a superseded row: the row with the same key that won. */
  readonly winningRow?: number;
}
