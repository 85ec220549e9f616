/** Gathers what all cells of a column are, in one pass over the rows, at bounded memory. */
import { CellScan, SEEN } from '../cells/cell-scan.js';
import { Signatures } from '../cells/classify-cell.js';
import { cut, type Signature } from '../cells/signature.js';
import { DistinctValues } from './distinct-values.js';
import { type KeptRoom, KeptValues } from './kept-values.js';
import { RepeatedValues } from './repeated-values.js';
import { type HashRoom, UniqueValues } from './unique-values.js';
import { ValueSample } from './value-sample.js';

/** With more different values, a column is no list of options. */
const MAX_VALUES = 50;
/** What the values of a column may hold together to be listed. */
const MAX_VALUES_LENGTH = 8_000;
const EXAMPLES = 5;
const TYPES: Readonly<Record<string, number>> = { n: 1, d: 2, i: 3, b: 4, '!': 5 };
const BLANK_ENDS = 0x20;

/** The characters that may separate the values of a list, or the levels of a path. */
const SEPARATING =
  SEEN.pipe |
  SEEN.semicolon |
  SEEN.comma |
  SEEN.slash |
  SEEN.lineEnd |
  SEEN.greaterThan |
  SEEN.backslash |
  SEEN.bullet |
  SEEN.caret |
  SEEN.tilde |
  SEEN.guillemet |
  SEEN.colon |
  SEEN.sign;

/** The characters that most paths have. */
const PATH_SIGNS = [SEEN.greaterThan, SEEN.guillemet, SEEN.pipe, SEEN.slash, SEEN.backslash];

const scan = new CellScan();

export class ColumnFacts {
  filled = 0;
  longest = 0;
  readonly signatures = new Signatures();
  readonly distinct = new DistinctValues();
  readonly repeated = new RepeatedValues();
  readonly sample: ValueSample;
  readonly kept: KeptValues;
  /** Cells that are texts, by the bits of SEEN that they have. */
  readonly #separated = new Uint32Array(32);
  /** The signatures by the number that is kept with a distinct value. */
  readonly #numbered: Signature[] = [];
  #values: string[] | null = [];
  #valuesLength = 0;
  readonly #examples: string[] = [];
  readonly #unique: UniqueValues;

  constructor(room: HashRoom, keptRoom: KeptRoom, sampleSize: number) {
    this.#unique = new UniqueValues(room);
    this.kept = new KeptValues(keptRoom);
    this.sample = new ValueSample(sampleSize);
  }

  /** @param type of the cell, as tables have it */
  add(cell: string, row: number, type: string): void {
    if (cell === '') return;
    const text = hasBlankEnds(cell) ? cell.trim() : cell;
    if (text === '') return;
    this.filled += 1;
    if (text.length > this.longest) this.longest = text.length;
    scan.read(text);
    const { high, seen } = scan;
    const low = type === 't' ? scan.low : scan.low ^ (TYPES[type] ?? 0);
    const note = this.distinct.find(high, low);
    const signature = note < 0 ? this.#addNew(text, row, type, low) : (this.#numbered[note] as Signature);
    if (note >= 0) {
      if (this.#unique.isUnique) this.#unique.drop();
      this.repeated.add(text, this.distinct.firstRow, row);
    }
    signature.add(row, text);
    if (signature === this.signatures.text && (seen & SEPARATING) !== 0) this.#countSeparators(seen & SEPARATING);
  }

  /** Compares what is left to be compared. */
  async finish(pause: () => Promise<void>): Promise<{ isUnique: boolean }> {
    return { isUnique: await this.#unique.finish(pause) };
  }

  get examples(): readonly string[] {
    return this.#examples;
  }

  /** Null: there are too many. */
  get values(): readonly string[] | null {
    return this.#values;
  }

  /** How many texts have a character. @param bit one bit of SEEN */
  textsWith(bit: number): number {
    return this.#separated[31 - Math.clz32(bit)] as number;
  }

  #addNew(text: string, row: number, type: string, low: number): Signature {
    const { high, seen } = scan;
    const signature = this.signatures.find(text, seen, type);
    this.kept.add(text, this.distinct.isExact, this.#repeats);
    if (this.distinct.isExact) {
      let number = this.#numbered.indexOf(signature);
      if (number < 0) number = this.#numbered.push(signature) - 1;
      this.distinct.add(high, low, number, row);
      if (this.#values !== null) this.#addValue(text);
      if (this.#examples.length < EXAMPLES) this.#examples.push(cut(text));
    } else this.distinct.add(high, low, 0, row);
    this.#unique.add(high, low);
    if (signature.trait.kind === 'text' || signature.trait.kind === 'url') this.sample.add(high, low, text, row);
    return signature;
  }

  /** A tenth of the cells with one of the signs of paths may be paths. */
  readonly #repeats = (): boolean => {
    if (this.filled > 2 * (this.kept.values?.length ?? 0)) return true;
    return PATH_SIGNS.some((bit) => this.textsWith(bit) * 10 >= this.filled);
  };

  #addValue(text: string): void {
    this.#valuesLength += text.length;
    if (this.#values?.length === MAX_VALUES || this.#valuesLength > MAX_VALUES_LENGTH) this.#values = null;
    else this.#values?.push(text);
  }

  #countSeparators(bits: number): void {
    for (let left = bits; left !== 0; left &= left - 1) {
      const place = 31 - Math.clz32(left & -left);
      this.#separated[place] = (this.#separated[place] as number) + 1;
    }
  }
}

function hasBlankEnds(cell: string): boolean {
  const first = cell.charCodeAt(0);
  const last = cell.charCodeAt(cell.length - 1);
  return first <= BLANK_ENDS || last <= BLANK_ENDS || first === 0xa0 || last === 0xa0 || last === 0x3000;
}
