/** Converts rows of ours to those of a profile's file, and says what could not be written. */
import { detectEncoding } from '../../formats/text/detect-encoding.js';
import { isEncodable } from '../../formats/text/text-encoding.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Profile } from '../../profiles/model/profile.js';
import { RowWriter, type WriteLoss } from '../../profiles/row-writer.js';
import type { MappedFormat, MappedRows } from '../write/export-body.js';
import { isUnquotedCell } from '../write/mapped-text.js';
import type { WriteLosses } from './write-losses.js';

/** A rule that is written. */
export interface FilledRule {
  readonly rule: Profile['columns'][number];
  readonly isKey: boolean;
  /** Whether the word `NULL` clears its column. */
  readonly clears: boolean;
  /** Its cells as the steps of profiles would make them. */
  readonly asMade: (cell: string) => string;
}

/** What the rows are, and how their import reads them. */
export interface WrittenRecords {
  /** In messages. */
  readonly noun: 'item' | 'attribute' | 'category';
  /** Whether the columns of a row that are written say nothing else without the others. Default: they never do */
  readonly standAlone?: (read: readonly string[], cells: readonly string[]) => boolean;
  /** Whether the cells of a file are texts in its encoding. */
  readonly isText: boolean;
}

const NOT_ALONE = 'because the profile has not all of its columns, and without them it would be changed';

export class ProfileRows implements MappedRows {
  readonly header: readonly string[];
  readonly format: MappedFormat;
  count = 0;
  /** How many rows the file has of them. */
  #rows = 0;
  readonly #writer: RowWriter;
  readonly #filled: readonly FilledRule[];
  readonly #losses: WriteLosses;
  readonly #key: number;
  readonly #noun: string;
  readonly #leftOut: string;
  #cells: readonly string[] = [];

  constructor(document: Profile, filled: readonly FilledRule[], losses: WriteLosses, records: WrittenRecords) {
    this.#noun = records.noun;
    this.#leftOut = records.noun === 'item' ? 'ITEM_LEFT_OUT' : 'RECORD_LEFT_OUT';
    this.format = formatOf(document);
    this.#filled = filled;
    this.#losses = losses;
    this.#key = filled.findIndex(({ isKey }) => isKey);
    this.#writer = new RowWriter(document, {
      key: this.#key,
      canWrite: records.isText ? cellTest(this.format) : () => true,
      clears: (rule) => filled[rule]?.clears === true,
      standAlone: records.standAlone,
      onLoss: (loss) => this.#note(loss),
    });
    this.header = this.#writer.header;
  }

  write(cells: readonly (string | null)[]): readonly (readonly string[])[] {
    const filled = this.#filled;
    this.#cells = cells.map((cell, index) => (cell === null ? '' : (filled[index]?.asMade(cell) ?? cell)));
    const row = this.#writer.write(this.#cells);
    if (row === null) return [];
    const rows = this.#writer.rowsOf(row);
    this.count += 1;
    this.#rows += rows.length;
    return rows;
  }

  warnings() {
    return this.#losses.summary();
  }

  #note({ what, rule }: WriteLoss): void {
    const record = `the ${this.#noun} ${quoted(this.#cells[this.#key] ?? '')}`;
    const why = { skipped: 'by skipRowsWhen or continuationRows of the profile', rest: NOT_ALONE }[
      what as 'skipped' | 'rest'
    ];
    if (why !== undefined) {
      this.#losses.add(this.#leftOut, null, null, () => `${record} is left out ${why}`);
      return;
    }
    const { to = '', steps = [] } = this.#filled[rule]?.rule ?? {};
    const value = quoted(this.#cells[rule] ?? '');
    const by = steps.length === 0 ? 'the rule' : `the steps (${steps.map(({ step }) => step).join(', ')})`;
    if (what === 'cell') {
      const { headerRow, skipFirst } = this.format;
      const row = headerRow + skipFirst + this.#rows + 1;
      const example = () =>
        `${by} of ${quoted(to ?? '')} cannot make ${value} of any cell of the file: it is left empty`;
      this.#losses.add('CELL_NOT_WRITTEN', to, row, example);
      return;
    }
    const held = this.#cells[rule] === '' ? 'no value' : value;
    const example = () =>
      `${record} has ${held} in ${quoted(to ?? '')}, and the profile would give it another one: it is left out`;
    this.#losses.add(this.#leftOut, to, null, example);
  }
}

function formatOf({ format }: Pick<Profile, 'format'>): MappedFormat {
  const { encoding, delimiter, quote = '"', headerRow = 1, skipFirst = 0, skipLast = 0, sheet } = format;
  return {
    encoding: detectEncoding(Buffer.alloc(0), encoding).encoding,
    ...{ delimiter, quote, escape: format.escape, headerRow, skipFirst, skipLast, sheet },
  };
}

function cellTest({ encoding, quote, delimiter }: MappedFormat): (text: string) => boolean {
  return (text) => isEncodable(text, encoding) && (quote !== '' || isUnquotedCell(text, delimiter));
}
