/** A map whose keys are sequences of bytes: they are looked up inside a buffer, without creating strings. */

export class ByteMap<V> {
  readonly #entries = new Map<number, { readonly key: Uint8Array; readonly value: V }>();

  get size(): number {
    return this.#entries.size;
  }

  get(source: Buffer, start: number, end: number): V | undefined {
    const entry = this.#entries.get(hashOf(source, start, end));
    return entry !== undefined && bytesEqual(source, start, end, entry.key) ? entry.value : undefined;
  }

  /** If two keys have the same hash, the later one replaces the earlier, whose look-ups then use the plain reader. */
  set(source: Buffer, start: number, end: number, value: V): void {
    this.#entries.set(hashOf(source, start, end), { key: Uint8Array.prototype.slice.call(source, start, end), value });
  }
}

/** Whether `source[start..end)` is exactly these bytes. */
export function bytesEqual(source: Buffer, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let index = 0; index < word.length; index++) if (source[start + index] !== word[index]) return false;
  return true;
}

function hashOf(source: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (source[index] as number), 0x01000193);
  return hash;
}
