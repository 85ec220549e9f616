/** Knows in which line of a JSON document something is. */
import { LF } from '../../../kernel/characters.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { RecordWindow } from '../../text/record-window.js';

export class LineCount {
  /** Line ends before the window's start, and the offset of the character after the last of them. */
  #lines = 0;
  #lineStart = 0;

  /** Counts the line ends of what is read of a window. */
  count({ bytes, start, base }: RecordWindow, to: number): void {
    for (let at = bytes.indexOf(LF, start); at >= 0 && at < to; at = bytes.indexOf(LF, at + 1)) {
      this.#lines += 1;
      this.#lineStart = base + at + 1;
    }
  }

  /** The error for a document that is wrong at a place of the window. @param rows as JsonHandler has it */
  notJson(window: RecordWindow, at: number, rows: number | null, what: string): RejectedInput {
    this.count(window, at);
    const column = window.base + at - this.#lineStart + 1;
    const [atRow, place] = rows === null ? ['', {}] : [` (at row ${rows + 1})`, { row: rows + 1 }];
    const message = `The file is not valid JSON: in line ${this.#lines + 1}, byte ${column}${atRow}, ${what}.`;
    return new RejectedInput('NOT_JSON', message, place);
  }
}
