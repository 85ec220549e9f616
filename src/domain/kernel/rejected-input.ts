/** The error for an input that cannot be used at all: the job ends as REJECTED and none of its rows is applied. */

/**
 * Why an input was refused; clients handle these. Each is explained in docs/use/row-codes.md.
 * @internal exported for tests
 */
export const REJECT_REASONS = [
  'EMPTY_FILE',
  'NO_ROWS',
  'WRONG_FORMAT',
  'INVALID_ENCODING',
  'UNKNOWN_ENCODING',
  'INVALID_DELIMITER',
  'INVALID_HEADER',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
  'MISSING_COLUMN',
  'UNCLOSED_QUOTE',
  'NOT_JSON',
  'NOT_AN_ARRAY',
  'NOT_GZIP',
  'GZIP_DAMAGED',
  'TOO_LARGE',
  'EXPANSION_RATIO',
  'CELL_TOO_LONG',
  'ROW_TOO_LONG',
  'TOO_MANY_COLUMNS',
  'TOO_MANY_ROWS',
  'TOO_DEEP',
  'WORKBOOK_DAMAGED',
  'WORKBOOK_ENCRYPTED',
  'WORKBOOK_TOO_COMPLEX',
  'SHEET_NOT_FOUND',
  'DTD_REFUSED',
  'ROWS_FAILED',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

/** Where the problem is in the input, as far as it is known. */
interface RejectedAt {
  /** Row number as a spreadsheet shows it (header = 1); for JSON, index + 1. */
  readonly row?: number;
  /** The column's header. */
  readonly column?: string;
}

/** Thrown when an input cannot be used at all. The message says what is wrong, where, and what to do. */
export class RejectedInput extends Error {
  override readonly name = 'RejectedInput';
  readonly row: number | undefined;
  readonly column: string | undefined;

  constructor(
    readonly reason: RejectReason,
    message: string,
    at: RejectedAt = {},
  ) {
    super(message);
    this.row = at.row;
    this.column = at.column;
  }
}
