/**
 * Reads texts in which a backslash stands before a quote within a cell (`"5\" pipe"`), as databases write them: they become texts in
 * which such quotes are doubled, which is all that the scanner knows. Other files do not pass through here.
 */
import { CR, LF } from '../../kernel/characters.js';
import { type CsvQuote, quoteByteOf } from './csv-quote.js';

/** What a program writes before a quote within a cell, instead of another quote. */
export type CsvEscape = '\\';

export interface EscapedForm {
  readonly escape?: CsvEscape | undefined;
  readonly quote?: CsvQuote | undefined;
  /** Undefined: it is not known yet. */
  readonly delimiter?: string | undefined;
}

const BACKSLASH = 0x5c;
/** What may be found as the delimiter. */
const DETECTED_DELIMITERS = ',;\t|';

/** @param blocks UTF-8 @returns the blocks as they are, unless the form has an escape */
export function withoutEscapes(blocks: AsyncGenerator<Buffer>, form: EscapedForm): AsyncGenerator<Buffer> {
  return form.escape === undefined ? blocks : converted(blocks, new EscapeReader(form));
}

async function* converted(blocks: AsyncGenerator<Buffer>, reader: EscapeReader): AsyncGenerator<Buffer> {
  try {
    for await (const block of blocks) yield reader.read(block);
    yield reader.end();
  } finally {
    await blocks.return(undefined);
  }
}

/**
 * Within a quoted cell a backslash says of a quote, of another backslash and of a line end that they are a part of the cell. Before
 * anything else, and in cells without quotes, it is a character like others.
 */
class EscapeReader {
  readonly #quote: number;
  readonly #edges: ReadonlySet<number>;
  #state: 'edge' | 'plain' | 'quoted' | 'escaped' | 'closed' = 'edge';

  constructor({ quote = '"', delimiter }: EscapedForm) {
    this.#quote = quoteByteOf(quote);
    this.#edges = new Set([LF, CR, ...Buffer.from(delimiter ?? DETECTED_DELIMITERS)]);
  }

  read(block: Buffer): Buffer {
    const quote = this.#quote;
    const target = Buffer.allocUnsafe(block.length + 1);
    let to = 0;
    for (let at = 0; at < block.length; at += 1) {
      const byte = block[at] as number;
      if (this.#state === 'quoted' && byte === BACKSLASH) {
        this.#state = 'escaped';
        continue;
      }
      if (this.#state === 'escaped') {
        this.#state = 'quoted';
        if (byte === quote) target[to++] = quote;
        else if (byte !== BACKSLASH && byte !== LF && byte !== CR) target[to++] = BACKSLASH;
      } else if (this.#state === 'quoted') {
        if (byte === quote) this.#state = 'closed';
        // Of a doubled quote, the second opens the cell again.
      } else if (byte === quote && this.#state !== 'plain') this.#state = 'quoted';
      else this.#state = this.#edges.has(byte) ? 'edge' : 'plain';
      target[to++] = byte;
    }
    return target.subarray(0, to);
  }

  /** What is left when the text ends. */
  end(): Buffer {
    return this.#state === 'escaped' ? Buffer.from([BACKSLASH]) : Buffer.alloc(0);
  }
}

/** A cell as such texts have it. */
export function escapedCell(text: string, quote: CsvQuote): string {
  return quote + text.replace(/\\/g, '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}
