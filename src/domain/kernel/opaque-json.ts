/**
 * JSON texts that are passed on byte for byte: parsing one and writing it again would change numbers (1.10 becomes 1.1,
 * 1e400 becomes null), white space, the escapes in strings, and keys that occur twice.
 */
import { randomBytes } from 'node:crypto';

/** A valid JSON text that nothing changes. Only writeJson writes it as it is. */
export class OpaqueJson {
  /** @param text valid JSON, without white space around it */
  constructor(readonly text: string) {}

  /** Called by JSON.stringify. Within writeJson it returns a mark that stands for the text. */
  toJSON(): unknown {
    if (taken === null) return JSON.parse(this.text);
    taken.push(this.text);
    return MARK;
  }
}

/** Stands for an opaque text while JSON is written. It is random, so that no text of a client contains it. */
const MARK = randomBytes(24).toString('hex');
const QUOTED_MARK = JSON.stringify(MARK);
/** The opaque texts of the value that is being written, in order; null: none is being written. */
let taken: string[] | null = null;

/** Writes a value as JSON, like JSON.stringify, but each OpaqueJson within it as its own text. */
export function writeJson(value: unknown): string {
  const texts: string[] = [];
  taken = texts;
  let written: string;
  try {
    written = JSON.stringify(value);
  } finally {
    taken = null;
  }
  if (texts.length === 0) return written;
  const [head = '', ...rest] = written.split(QUOTED_MARK);
  return rest.reduce((text, part, index) => `${text}${texts[index] ?? ''}${part}`, head);
}
