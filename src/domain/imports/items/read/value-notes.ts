/** Notes what is striking about the values of a chunk that are not simply copied: they may have been misread. */
import { MINUS, POINT, ZERO } from '../../../kernel/characters.js';
import { quoted } from '../../../kernel/value-problem.js';
import { looksMisread } from '../../pipeline/looks-misread.js';
import { RowNotes } from '../../rows/row-notes.js';
import type { ItemRules } from '../item-rules.js';

export class ValueNotes {
  /** What was noted about the rows of the chunk. */
  readonly notes: RowNotes;
  /** 1 for each attribute of which a number tells how the others of its column are meant, by its position. */
  readonly #decided: Uint8Array;
  /** Columns with many ambiguous numbers, by the position of the attribute. */
  readonly #frequent: ReturnType<RowNotes['frequent']>[] = [];

  /** @param isDecided whether the job says how its numbers are written */
  constructor(
    readonly rules: ItemRules,
    isDecided: boolean,
  ) {
    this.notes = new RowNotes(isDecided);
    this.#decided = new Uint8Array(rules.attributes.length).fill(isDecided ? 1 : 0);
  }

  /** @param sku as it is stored */
  noteSku(column: string, text: string, sku: string): void {
    if (looksMisread(sku)) this.notes.note('TEXT_MISREAD', column, () => ({ value: quoted(text), stored: '' }));
    if (sku !== text && text.trim() !== text) this.#trimmed(column, text, JSON.stringify(sku));
  }

  /**
   * Notes what is striking about a value that was read from a text.
   * @param column what its column is called
   * @param isTyped whether the input says what the text is, such as a cell of a workbook that is a number
   */
  noteText(position: number, column: string, text: string, json: string, isTyped: boolean): void {
    const { doubt, isOpenText } = this.rules.attribute(position);
    if (isOpenText && looksMisread(text))
      this.notes.note('TEXT_MISREAD', column, () => ({ value: quoted(text), stored: json }));
    if (mayHaveOuterBlanks(text) && text.trim() !== text && JSON.parse(json) !== text)
      this.#trimmed(column, text, json);
    if (isTyped || doubt === undefined) return;
    if (!doubt.isAmbiguous(text, json)) {
      if (doubt.isDecisive(text, json)) this.#decide(position, column);
      return;
    }
    this.notes.note(`${doubt.about}_AMBIGUOUS`, column, () => ({ value: quoted(text), stored: json }));
  }

  /**
   * Notes a number that was encoded from its bytes, if its point may separate thousands: three digits behind it, and up
   * to three before it. `doubt` of the attribute says the same of texts.
   */
  noteEncodedNumber(row: number, position: number, column: string, bytes: Buffer, start: number, end: number): void {
    const point = end - 4;
    const first = bytes[start] === MINUS ? start + 1 : start;
    if (bytes[point] !== POINT || point <= first || point - first > 3 || bytes[first] === ZERO) {
      if (this.#decided[position] === 0 && hasPoint(bytes, start, end)) this.#decide(position, column);
      return;
    }
    const frequent = this.#frequent[position] ?? this.notes.frequent('NUMBER_AMBIGUOUS', column);
    if (frequent !== undefined) {
      this.#frequent[position] = frequent;
      this.notes.noteAgain(frequent, row);
      return;
    }
    this.#noteAmbiguous(position, column, bytes, start, end);
  }

  /** A function of its own: one with a closure makes an object of its parameters, also where it returns before. */
  #noteAmbiguous(position: number, column: string, bytes: Buffer, start: number, end: number): void {
    this.notes.note('NUMBER_AMBIGUOUS', column, () => {
      const value = bytes.toString('latin1', start, end);
      return { value: quoted(value), stored: String(this.rules.attribute(position).fromText(value)) };
    });
  }

  /** Notes whether a value that was refused shows how others are meant. */
  noteRefused(position: number, column: string, text: string): void {
    const { doubt } = this.rules.attribute(position);
    if (doubt?.isContrary(text) !== true) return;
    this.notes.note(`${doubt.about}_CONTRARY`, column, () => ({ value: quoted(text), stored: '' }));
  }

  #decide(position: number, column: string): void {
    if (this.#decided[position] === 1) return;
    this.#decided[position] = 1;
    this.notes.decide(column);
  }

  #trimmed(column: string, value: string, stored: string): void {
    this.notes.note('VALUE_TRIMMED', column, () => ({ value: quoted(value), stored }));
  }
}

function hasPoint(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === POINT) return true;
  return false;
}

/** A cheap test, before a text is trimmed: blanks are control characters, spaces, or beyond ASCII. */
function mayHaveOuterBlanks(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return first <= 32 || last <= 32 || first >= 128 || last >= 128;
}
