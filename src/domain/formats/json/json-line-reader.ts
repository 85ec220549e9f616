/** Reads the lines of a JSONL body one after the other. */
import { rowTooLong } from '../csv/csv-record-reader.js';
import type { SourceLimits } from '../source-contract.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { invalidEncoding, type TextEncoding } from '../text/text-encoding.js';

const LF = 0x0a;

/**
 * Hears of each line, blank ones too.
 * @param start,stop where it lies in the window's bytes, without the line end.
 * @param next where the one after it begins there.
 */
export type OnJsonLine = (window: RecordWindow, row: number, start: number, stop: number, next: number) => void;

export class JsonLineReader implements RecordReader {
  readonly #limits: SourceLimits;
  readonly #encoding: TextEncoding;
  #row: number;
  readonly #onLine: OnJsonLine;

  constructor(limits: SourceLimits, encoding: TextEncoding, row: number, onLine: OnJsonLine) {
    this.#limits = limits;
    this.#encoding = encoding;
    this.#row = row;
    this.#onLine = onLine;
  }

  read(window: RecordWindow, final: boolean): void {
    const { bytes, end } = window;
    let at = window.start;
    while (at < end) {
      const newline = bytes.indexOf(LF, at);
      if (newline < 0 && !final) break;
      const stop = newline < 0 ? end : newline;
      const next = newline < 0 ? end : newline + 1;
      if (stop - at > this.#limits.maxRowBytes) throw rowTooLong(this.#row, this.#limits);
      if (!window.isValid(at, next)) throw invalidEncoding(this.#row, this.#encoding);
      this.#onLine(window, this.#row, at, stop, next);
      at = next;
      this.#row += 1;
    }
    window.start = at;
    if (end - at > this.#limits.maxRowBytes) throw rowTooLong(this.#row, this.#limits);
  }
}
