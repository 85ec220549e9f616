/** The parts of a ZIP, which workbooks are: listed from its end, and read as far as somebody wants. */

export interface ZipPart {
  readonly name: string;
  /** How it is packed, by its number in archives. */
  readonly method: number;
  /** Its checksum, CRC-32. */
  readonly crc: number;
  /** Unpacked, as the archive says. */
  readonly bytes: number;
  /** As it is in the archive. */
  packed(): Promise<Blob>;
  open(): ReadableStream<Uint8Array>;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** The end of a ZIP, with the longest comment. */
const MOST_OF_END = 65_557;
const STORED = 0;
/** The number of the usual way to pack. */
export const DEFLATED = 8;

/** @returns none for what is no ZIP @throws RangeError when it is damaged */
export async function partsOfZip(file: Blob): Promise<readonly ZipPart[]> {
  const tail = new DataView(await file.slice(Math.max(0, file.size - MOST_OF_END)).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end--;
  if (end < 0) return [];
  const [size, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const list = new DataView(await file.slice(start, start + size).arrayBuffer());
  const parts: ZipPart[] = [];
  for (let at = 0; at + 46 <= list.byteLength && list.getUint32(at, true) === ENTRY; ) {
    const nameBytes = list.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, nameBytes));
    const [method, bytes, offset] = [
      list.getUint16(at + 10, true),
      list.getUint32(at + 20, true),
      list.getUint32(at + 42, true),
    ];
    if (method === STORED || method === DEFLATED) {
      const packed = () => packedOf(file, { bytes, offset });
      const open = () => contentOf(packed(), method);
      parts.push({
        ...{ name, method, packed, open },
        crc: list.getUint32(at + 16, true),
        bytes: list.getUint32(at + 24, true),
      });
    }
    at += 46 + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true);
  }
  return parts;
}

interface Place {
  /** Packed. */
  readonly bytes: number;
  readonly offset: number;
}

async function packedOf(file: Blob, { bytes, offset }: Place): Promise<Blob> {
  const head = new DataView(await file.slice(offset, offset + 30).arrayBuffer());
  const start = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  return file.slice(start, start + bytes);
}

function contentOf(packed: Promise<Blob>, method: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const pipe = async () => {
    const stored = (await packed).stream();
    await (method === STORED ? stored : stored.pipeThrough(new DecompressionStream('deflate-raw'))).pipeTo(writable);
  };
  pipe().catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}
