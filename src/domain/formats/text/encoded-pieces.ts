/** Encodes the lines of a text that we write in the encoding of another. */
import { encodingNamed } from './encoding-names.js';
import { encodeText } from './text-encoding.js';

const PIECE_CHARACTERS = 64 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';
/** Encodings in which a mark at the beginning says so, whatever the options of the import are. */
const MARKED = ['utf-8', 'utf-16le', 'utf-16be'];

/** The bytes of the text in pieces. Characters that the encoding lacks become question marks. */
export async function* encodedPieces(lines: AsyncIterable<string>, encoding: string): AsyncGenerator<Buffer> {
  const known = encodingNamed(encoding) ?? 'utf-8';
  let text = MARKED.includes(known) ? BYTE_ORDER_MARK : '';
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encodeText(text, known);
    text = '';
  }
  yield encodeText(text, known);
}
