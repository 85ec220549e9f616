/** Writes a ZIP again: parts that stay as they are packed, and one whose text is another. */
import { DEFLATED, type ZipPart } from '../zip-parts.js';

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
/** The version of readers that know packed parts. */
const VERSION = 20;
/** Names are UTF-8. */
const UTF8_NAMES = 0x0800;
/** The 1st of January 1980, which is where times of archives begin. */
const DAY = 0x21;

/** @returns the archive in which the part of this name has this text */
export async function withText(parts: readonly ZipPart[], name: string, text: string, type: string): Promise<Blob> {
  const pieces: BlobPart[] = [];
  const entries: BlobPart[] = [];
  let [at, listed] = [0, 0];
  for (const part of parts) {
    const { head, data } = part.name === name ? await packed(new TextEncoder().encode(text)) : await asItIs(part);
    const nameBytes = new TextEncoder().encode(part.name);
    const common = [VERSION, UTF8_NAMES, head.method, 0, DAY];
    const sizes = [head.crc, data.size, head.bytes];
    const local = fields([LOCAL], common, sizes, [nameBytes.length, 0]);
    const entry = fields([ENTRY], [VERSION, ...common], sizes, [nameBytes.length, 0, 0, 0, 0], [0, at]);
    pieces.push(local, nameBytes, data);
    entries.push(entry, nameBytes);
    at += local.byteLength + nameBytes.length + data.size;
    listed += entry.byteLength + nameBytes.length;
  }
  const end = fields([END], [0, 0, parts.length, parts.length], [listed, at], [0]);
  return new Blob([...pieces, ...entries, end], { type });
}

interface Packed {
  readonly head: Pick<ZipPart, 'method' | 'crc' | 'bytes'>;
  readonly data: Blob;
}

async function asItIs(part: ZipPart): Promise<Packed> {
  return { head: part, data: await part.packed() };
}

async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<Packed> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const head = { method: DEFLATED, crc: checksumOf(bytes), bytes: bytes.length };
  return { head, data: await new Response(stream).blob() };
}

/** Groups of numbers: of four bytes, then of two, then of four again, and so on, as all heads of a ZIP have them. */
function fields(...groups: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  const sizeOf = (group: number) => (group % 2 === 0 ? 4 : 2);
  const view = new DataView(
    new ArrayBuffer(groups.reduce((sum, { length }, index) => sum + length * sizeOf(index), 0)),
  );
  let at = 0;
  for (const [index, group] of groups.entries()) {
    for (const value of group) {
      if (sizeOf(index) === 4) view.setUint32(at, value, true);
      else view.setUint16(at, value, true);
      at += sizeOf(index);
    }
  }
  return new Uint8Array(view.buffer);
}

/** CRC-32. */
function checksumOf(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
