/** Decides, at constant memory, whether an overlong quoted cell is really long or lacks its closing quote. */
import { CR, LF } from '../../kernel/characters.js';
import type { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import { cellTooLong, unclosedQuote } from './csv-errors.js';
import type { CsvQuote } from './csv-quote.js';

/**
 * A cell whose closing quote is followed by a delimiter or line end is too long. A cell that never closes, or whose
 * "closing" quote is followed by text because it opens a later cell, lacks its closing quote.
 */
export class ClosingQuoteSearch {
  #afterQuote = false;

  readonly #row: number;
  readonly #delimiter: number;
  readonly #limits: SourceLimits;
  readonly #quote: CsvQuote;

  constructor(row: number, delimiter: number, limits: SourceLimits, quote: CsvQuote) {
    this.#row = row;
    this.#delimiter = delimiter;
    this.#limits = limits;
    this.#quote = quote;
  }

  /** Continues inside the cell. @throws RejectedInput once it is decided. */
  read(bytes: Buffer, from: number): void {
    const mark = this.#quote.charCodeAt(0);
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#afterQuote && byte !== mark) throw this.#verdict(byte);
      if (byte === mark) this.#afterQuote = !this.#afterQuote;
      else {
        const quote = bytes.indexOf(mark, at);
        at = (quote < 0 ? bytes.length : quote) - 1;
      }
    }
  }

  /** Decides at the end of the text. */
  finish(): RejectedInput {
    return this.#afterQuote
      ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true)
      : unclosedQuote(this.#row, this.#quote);
  }

  #verdict(next: number): RejectedInput {
    const endsCell = next === this.#delimiter || next === LF || next === CR;
    return endsCell
      ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true)
      : unclosedQuote(this.#row, this.#quote);
  }
}
