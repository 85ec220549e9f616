/** A map whose keys are runs of bytes, looked up where they stand in a file, without a string made of them. */

export class ByteMap<V> {
  readonly #entries = new Map<number, { readonly key: Uint8Array; readonly value: V }>();

  get size(): number {
    return this.#entries.size;
  }

  get(source: Buffer, start: number, end: number): V | undefined {
    const entry = this.#entries.get(hashOf(source, start, end));
    return entry !== undefined && bytesEqual(source, start, end, entry.key) ? entry.value : undefined;
  }

  /** If two keys have the same hash, the later one stays: the other is then not found, and is read in the plain way. */
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
