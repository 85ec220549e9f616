/** Files that are compressed by gzip: unpacked up to a size, and packed again. */

/** Without `.gz`; undefined: it is not compressed. */
export function nameWithin(name: string): string | undefined {
  return /\.gz$/i.test(name) ? name.slice(0, -3) : undefined;
}

/** @returns undefined: it is larger, or damaged */
export async function unpacked(file: Blob, mostBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (const reader = streamOf(file).getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > mostBytes) {
        await reader.cancel();
        return undefined;
      }
      pieces.push(value);
    }
  } catch {
    return undefined;
  }
  return joined(pieces, bytes);
}

/** The beginning of what is in it; empty: it is damaged. */
export async function headWithin(file: Blob, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (const reader = streamOf(file).getReader(); bytes < mostBytes; ) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      pieces.push(value);
      if (bytes >= mostBytes) await reader.cancel();
    }
  } catch {
    // What was read before is its beginning.
  }
  return joined(pieces, bytes);
}

export function packed(file: Blob): Promise<Blob> {
  return new Response(file.stream().pipeThrough(new CompressionStream('gzip')), {
    headers: { 'Content-Type': 'application/gzip' },
  }).blob();
}

function streamOf(file: Blob): ReadableStream<Uint8Array<ArrayBuffer>> {
  return file.stream().pipeThrough(new DecompressionStream('gzip'));
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
