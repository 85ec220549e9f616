/** Decides, at constant memory, whether an overlong quoted cell is a long cell or a quote that somebody forgot. */
import type { RejectedInput } from '../../kernel/rejected-input.js';
import type { SourceLimits } from '../source-contract.js';
import { cellTooLong, unclosedQuote } from './csv-scanner.js';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * A cell that closes as a cell should is too long. One that never closes, or "closes" at the opening quote of a later
 * cell and so is followed by text, was left open.
 */
export class ClosingQuoteSearch {
  #afterQuote = false;

  readonly #row: number;
  readonly #delimiter: number;
  readonly #limits: SourceLimits;

  constructor(row: number, delimiter: number, limits: SourceLimits) {
    this.#row = row;
    this.#delimiter = delimiter;
    this.#limits = limits;
  }

  /** Reads on inside the cell. @throws RejectedInput once it is decided. */
  read(bytes: Buffer, from: number): void {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#afterQuote && byte !== QUOTE) throw this.#verdict(byte);
      if (byte === QUOTE) this.#afterQuote = !this.#afterQuote;
      else {
        const quote = bytes.indexOf(QUOTE, at);
        at = (quote < 0 ? bytes.length : quote) - 1;
      }
    }
  }

  /** The text ended. */
  finish(): RejectedInput {
    return this.#afterQuote ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true) : unclosedQuote(this.#row);
  }

  #verdict(next: number): RejectedInput {
    const endsCell = next === this.#delimiter || next === LF || next === CR;
    return endsCell ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true) : unclosedQuote(this.#row);
  }
}
