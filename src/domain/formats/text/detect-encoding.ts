/** Finds out the encoding of an upload. */
import { RejectedInput } from '../model/rejected-input.js';
import { ENCODINGS, encodingNamed, leavesByteOrderOpen, type TextEncoding } from './encoding-names.js';

/**
 * The encoding of a text and the length of its byte order mark, which overrides the given name.
 * @param head the text's first bytes, at least 3 where there are as many.
 * @throws RejectedInput UNKNOWN_ENCODING.
 */
export function detectEncoding(
  head: Buffer,
  named: string | undefined = 'utf-8',
): { encoding: TextEncoding; markBytes: number } {
  const encoding = encodingNamed(named);
  if (encoding === undefined) {
    const message = `The encoding "${named}" is not known. Name one of: ${ENCODINGS.join(', ')}.`;
    throw new RejectedInput('UNKNOWN_ENCODING', message);
  }
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 };
  return { encoding: leavesByteOrderOpen(named) ? utf16Of(head) : encoding, markBytes: 0 };
}

/** The order of the bytes of UTF-16 by its delimiters, digits and letters, whose high bytes are 0. */
function utf16Of(head: Buffer): TextEncoding {
  let even = 0;
  let odd = 0;
  for (const [index, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  return even > odd ? 'utf-16be' : 'utf-16le';
}

/** The error for a row whose bytes are not valid in the encoding. */
export function invalidEncoding(row: number, encoding: TextEncoding): RejectedInput {
  const advice =
    encoding === 'utf-8'
      ? 'Save the file as UTF-8, or name its encoding in options.encoding or in the profile, for example "windows-1252".'
      : 'Save the file as UTF-8, or name the encoding that it has.';
  return new RejectedInput('INVALID_ENCODING', `Row ${row} is not valid ${encoding.toUpperCase()}. ${advice}`, { row });
}
