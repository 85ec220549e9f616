/** The error for an input that cannot be used at all: the job ends as REJECTED and none of its rows is applied. */

/**
 * Why an input was refused; clients handle these. Each is explained in docs/use/row-codes.md.
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
  'NOT_XML',
  'ROW_PATH_NOT_FOUND',
  'PROFILE_REQUIRED',
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
  'ARCHIVE_REFUSED',
  'SHEET_NOT_FOUND',
  'DTD_REFUSED',
  'DEFINITIONS_NOT_CREATED',
  'STAGE_NOT_EMPTY',
  'CHANGES_GONE',
  'CHANGED_SINCE_PREVIEW',
  'SNAPSHOT_REFUSED',
  'SNAPSHOT_BRAKE',
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

/** The most problems of a header that its message spells out. */
const MAX_SHOWN_PROBLEMS = 50;

/** Collects the problems of a header, so that all columns can be corrected at once. */
export class HeaderProblems {
  readonly #problems: RejectedInput[] = [];

  get isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  /** @param message names the column, and says what to do */
  add(reason: RejectReason, message: string, column?: string): void {
    this.#problems.push(new RejectedInput(reason, message, { row: 1, ...(column === undefined ? {} : { column }) }));
  }

  /** @throws RejectedInput with the reason and the column of the first problem, and the messages of all, a line each */
  throwIfAny(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const count = this.#problems.length;
    if (count === 1) throw first;
    const shown = this.#problems.slice(0, MAX_SHOWN_PROBLEMS).map(({ message }, index) => `(${index + 1}) ${message}`);
    const more = count - shown.length;
    const message = [`the header has ${count} problems:`, ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(
      '\n',
    );
    throw new RejectedInput(first.reason, message, {
      row: 1,
      ...(first.column === undefined ? {} : { column: first.column }),
    });
  }
}
