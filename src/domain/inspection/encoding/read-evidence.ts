/** Reads all bytes of a text once and notes what says in which encoding it is. */
import { isAscii, isUtf8 } from 'node:buffer';
import { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import type { UploadInput } from '../../formats/model/source-input.js';
import { ReadMeter, uploadBlocks } from '../../formats/text/upload-blocks.js';

const HEAD_BYTES = 256 * 1024;
/** Words with bytes above 0x7f, for those who look at the letters. */
const SAMPLE_BYTES = 64 * 1024;
const SAMPLE_BYTES_OF_BLOCK = 8 * 1024;
const WORD_EDGE = 24;

export interface TextEvidence {
  /** The first bytes of the text. */
  readonly head: Buffer;
  readonly bytes: number;
  /** Whether all bytes are below 0x80. */
  readonly isAscii: boolean;
  /** Whether all bytes are valid UTF-8. */
  readonly isUtf8: boolean;
  /** Whether some blocks with bytes above 0x7f are valid UTF-8. */
  readonly isPartlyUtf8: boolean;
  /** How often each byte occurs from the first that is not UTF-8. */
  readonly counts: Uint32Array;
  /** Words with bytes above 0x7f, each on a line. */
  readonly sample: Buffer;
}

export async function readEvidence(input: UploadInput): Promise<TextEvidence> {
  const pacer = new EventLoopPacer(input.signal);
  const head: Buffer[] = [];
  const sample = new WordSample();
  const counts = new Uint32Array(256);
  let headBytes = 0;
  let bytes = 0;
  let allAscii = true;
  let allUtf8 = true;
  let someUtf8 = false;
  let carry: Buffer = Buffer.alloc(0);
  for await (const block of uploadBlocks(input, new ReadMeter(input))) {
    bytes += block.length;
    if (headBytes < HEAD_BYTES) {
      head.push(Buffer.from(block.subarray(0, HEAD_BYTES - headBytes)));
      headBytes += head.at(-1)?.length ?? 0;
    }
    const withCarry = carry.length === 0 ? block : Buffer.concat([carry, block]);
    carry = Buffer.alloc(0);
    if (!isAscii(withCarry)) {
      allAscii = false;
      const whole = withoutOpenCharacter(withCarry);
      if (allUtf8 && isUtf8(whole)) {
        someUtf8 = true;
        carry = Buffer.from(withCarry.subarray(whole.length));
      } else {
        allUtf8 = false;
        countBytes(counts, withCarry);
        sample.add(withCarry);
      }
    }
    await pacer.pause();
  }
  if (carry.length > 0) {
    allUtf8 = false;
    countBytes(counts, carry);
    sample.add(carry);
  }
  return {
    ...{ head: Buffer.concat(head), bytes, isAscii: allAscii, isUtf8: allUtf8, isPartlyUtf8: someUtf8, counts },
    sample: sample.bytes(),
  };
}

/** Without the bytes of a last character that the block cuts. */
function withoutOpenCharacter(block: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, block.length); back += 1) {
    const byte = block[block.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? block.subarray(0, block.length - back) : block;
  }
  return block;
}

function countBytes(counts: Uint32Array, block: Buffer): void {
  for (let at = 0; at < block.length; at += 1) {
    const byte = block[at] as number;
    counts[byte] = (counts[byte] as number) + 1;
  }
}

class WordSample {
  readonly #words: Buffer[] = [];
  #left = SAMPLE_BYTES;

  add(block: Buffer): void {
    let left = Math.min(this.#left, SAMPLE_BYTES_OF_BLOCK);
    for (let at = 0; at < block.length && left > 0; at += 1) {
      if ((block[at] as number) < 0x80) continue;
      const start = Math.max(edgeBefore(block, at), at - WORD_EDGE);
      const end = Math.min(edgeAfter(block, at), at + WORD_EDGE * 4);
      const word = Buffer.concat([block.subarray(start, end), Buffer.from('\n')]);
      this.#words.push(word);
      left -= word.length;
      this.#left -= word.length;
      at = end;
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#words);
  }
}

/** Cells and lines end a piece of text; blanks do not, since the words of a language stand together. */
function isEdge(byte: number): boolean {
  return byte === 10 || byte === 13 || byte === 9 || byte === 59 || byte === 44 || byte === 124 || byte === 34;
}

function edgeBefore(block: Buffer, from: number): number {
  let at = from;
  while (at > 0 && from - at < WORD_EDGE && !isEdge(block[at - 1] as number)) at -= 1;
  return at;
}

function edgeAfter(block: Buffer, from: number): number {
  let at = from;
  while (at < block.length && at - from < WORD_EDGE * 4 && !isEdge(block[at] as number)) at += 1;
  return at;
}
