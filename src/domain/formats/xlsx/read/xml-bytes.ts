/**
 * Long XML parts are read as strings of bytes: each character is a byte of the UTF-8 text. Such strings need half the
 * memory of others, scanned texts need not be decoded, and copied texts need not be encoded again.
 */
import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../../../platform/whole-characters.js';
import { damaged } from './workbook-problem.js';

const NOTHING = Buffer.alloc(0);

/** The text that a string of bytes stands for. */
export function textOfBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The string of bytes for a text. */
export function bytesOfText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * A part as strings of bytes that end with whole characters, wherever its characters are cut into blocks.
 * @throws RejectedInput WORKBOOK_DAMAGED for bytes that are invalid in the encoding: UTF-8, or UTF-16 with a byte order
 *   mark.
 */
export async function* xmlBytes(blocks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let carry: Buffer = NOTHING;
  let utf16: InstanceType<typeof TextDecoder> | null = null;
  let first = true;
  for await (const block of blocks) {
    const bytes: Buffer = carry.length === 0 ? block : Buffer.concat([carry, block]);
    if (first) {
      if (bytes.length < 3) {
        carry = bytes;
        continue;
      }
      first = false;
      utf16 = utf16Decoder(bytes);
    }
    carry = NOTHING;
    if (utf16 !== null) {
      yield bytesOfText(utf16Text(utf16, bytes));
      continue;
    }
    const whole = wholeCharacters(bytes);
    carry = bytes.subarray(whole);
    yield checkedBytes(bytes.subarray(0, whole));
  }
  if (carry.length > 0) yield checkedBytes(carry);
}

function checkedBytes(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw damaged('its text is not valid UTF-8');
  return bytes.toString('latin1');
}

function utf16Decoder(bytes: Buffer): InstanceType<typeof TextDecoder> | null {
  const mark = bytes.readUInt16BE(0);
  if (mark === 0xfffe) return new TextDecoder('utf-16le', { fatal: true });
  return mark === 0xfeff ? new TextDecoder('utf-16be', { fatal: true }) : null;
}

function utf16Text(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch {
    throw damaged('its text is not valid UTF-16');
  }
}
