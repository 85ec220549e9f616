/** Collects the rows of a table, without those that a profile leaves out at either end. */
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import type { TableOptions, TableRow } from './table.js';

/** What the rows may hold that are kept back until it is known that they are not the last. */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;

/** @param Row a row of the table, or what it is made of */
export class KeptRows<Row extends Pick<TableRow, 'row'> = TableRow> {
  #rows: Row[] = [];
  #toSkip: number;
  readonly #skipLast: number;
  /** The rows that may be the last: a ring, of which #oldest is the first. */
  readonly #held: Row[] = [];
  #oldest = 0;
  #heldCharacters = 0;

  readonly #limits: Pick<SourceLimits, 'maxRows'>;
  readonly #headerRow: number;
  readonly #sizeOf: (row: Row) => number;

  /** @param sizeOf how many characters a row holds */
  constructor(
    { skipFirst = 0, skipLast = 0 }: Pick<TableOptions, 'skipFirst' | 'skipLast'>,
    limits: Pick<SourceLimits, 'maxRows'>,
    headerRow: number,
    sizeOf: (row: Row) => number,
  ) {
    this.#toSkip = skipFirst;
    this.#skipLast = skipLast;
    this.#limits = limits;
    this.#headerRow = headerRow;
    this.#sizeOf = sizeOf;
  }

  /** Adds the next row. @throws RejectedInput TOO_MANY_ROWS, and ROW_TOO_LONG for rows that must be kept back */
  add(row: Row): void {
    if (row.row - this.#headerRow > this.#limits.maxRows) throw tooManyRows(this.#limits.maxRows);
    if (this.#toSkip > 0) this.#toSkip -= 1;
    else if (this.#skipLast === 0) this.#rows.push(row);
    else this.#hold(row);
  }

  /** Whether a row that is not added is left out at the beginning. @throws RejectedInput TOO_MANY_ROWS */
  skips(row: number): boolean {
    if (row - this.#headerRow > this.#limits.maxRows) throw tooManyRows(this.#limits.maxRows);
    if (this.#toSkip === 0) return false;
    this.#toSkip -= 1;
    return true;
  }

  /** The rows since the last call. */
  take(): readonly Row[] {
    const rows = this.#rows;
    if (rows.length > 0) this.#rows = [];
    return rows;
  }

  #hold(row: Row): void {
    this.#heldCharacters += this.#sizeOf(row);
    if (this.#held.length < this.#skipLast) this.#held.push(row);
    else {
      const oldest = this.#held[this.#oldest] as Row;
      this.#heldCharacters -= this.#sizeOf(oldest);
      this.#rows.push(oldest);
      this.#held[this.#oldest] = row;
      this.#oldest = (this.#oldest + 1) % this.#skipLast;
    }
    if (this.#heldCharacters > MAX_HELD_CHARACTERS) {
      const message = `The last ${this.#held.length} rows before row ${row.row} hold more than ${MAX_HELD_CHARACTERS} characters, so ${this.#skipLast} rows cannot be skipped at the end. Skip fewer.`;
      throw new RejectedInput('ROW_TOO_LONG', message, { row: row.row });
    }
  }
}

/** A row costs something without any text, too. */
export function charactersOf({ cells }: TableRow): number {
  let characters = 64;
  for (const cell of cells) characters += cell.length + 16;
  return characters;
}

function tooManyRows(maxRows: number): RejectedInput {
  return new RejectedInput(
    'TOO_MANY_ROWS',
    `The file has more than ${maxRows} rows. Split it and upload the parts one by one.`,
  );
}
