/**
 * A map whose keys are sequences of bytes: they are looked up inside a buffer, without creating strings. All keys lie in one
 * buffer, because one of its own for each takes several times as much memory as the key.
 */

const FIRST_BYTES = 256;

export class ByteMap<V> {
  /** Hash → index of the key. */
  readonly #indexes = new Map<number, number>();
  #keys: Buffer | undefined;
  /** Where each key begins in these bytes, and where the last one ends. */
  readonly #bounds: number[] = [0];
  readonly #values: V[] = [];

  get size(): number {
    return this.#indexes.size;
  }

  get(source: Buffer, start: number, end: number): V | undefined {
    const index = this.#indexes.get(hashOf(source, start, end));
    if (index === undefined) return undefined;
    const keys = this.#keys as Buffer;
    const from = this.#bounds[index] as number;
    const length = (this.#bounds[index + 1] as number) - from;
    if (end - start !== length) return undefined;
    for (let at = 0; at < length; at++) if (source[start + at] !== keys[from + at]) return undefined;
    return this.#values[index];
  }

  /** Of two keys with the same hash the first one stays. The look-ups of the other one use the plain reader, as those of unknown keys. */
  set(source: Buffer, start: number, end: number, value: V): void {
    const hash = hashOf(source, start, end);
    const index = this.#values.length;
    const known = this.#indexes.get(hash);
    if (known !== undefined) {
      if (this.get(source, start, end) !== undefined) this.#values[known] = value;
      return;
    }
    const from = this.#bounds[index] as number;
    const to = from + end - start;
    source.copy(this.#withRoom(to), from, start, end);
    this.#indexes.set(hash, index);
    this.#bounds.push(to);
    this.#values.push(value);
  }

  #withRoom(bytes: number): Buffer {
    const keys = this.#keys;
    if (keys !== undefined && bytes <= keys.length) return keys;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, bytes * 2));
    keys?.copy(larger);
    this.#keys = larger;
    return larger;
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
