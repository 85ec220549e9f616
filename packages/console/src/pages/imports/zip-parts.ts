/** The parts of a ZIP, which workbooks are: listed from its end, and read as far as somebody wants. */

export interface ZipPart {
  readonly name: string;
  open(): ReadableStream<Uint8Array>;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** The end of a ZIP, with the longest comment. */
const MOST_OF_END = 65_557;
const STORED = 0;
const DEFLATED = 8;

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
      parts.push({ name, open: () => contentOf(file, { method, bytes, offset }) });
    }
    at += 46 + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true);
  }
  return parts;
}

interface Place {
  readonly method: number;
  readonly bytes: number;
  readonly offset: number;
}

function contentOf(file: Blob, { method, bytes, offset }: Place): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const pipe = async () => {
    const head = new DataView(await file.slice(offset, offset + 30).arrayBuffer());
    const start = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    const stored = file.slice(start, start + bytes).stream();
    await (method === STORED ? stored : stored.pipeThrough(new DecompressionStream('deflate-raw'))).pipeTo(writable);
  };
  pipe().catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}
