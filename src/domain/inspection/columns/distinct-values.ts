/** Counts the different values of a column: exactly up to a thousand, then by an estimate (HyperLogLog). */

/** Up to so many different values are counted exactly. */
const MAX_EXACT = 1_000;
const FIRST_SLOTS = 16;
/** 2,048 registers: the estimate is wrong by 2.3 % on average. */
const REGISTER_BITS = 11;
const REGISTERS = 1 << REGISTER_BITS;
const BIAS = 0.7213 / (1 + 1.079 / REGISTERS);

export class DistinctValues {
  /** While they are counted exactly. */
  size = 0;
  #lanes: Int32Array | null = new Int32Array(FIRST_SLOTS * 2);
  /** What the caller keeps with each value. */
  #notes = new Uint8Array(FIRST_SLOTS);
  /** The row in which each value occurs first. */
  #rows = new Uint32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #registers: Uint8Array | null = null;
  /** The slot that `find` looked at last. */
  #slot = 0;

  get isExact(): boolean {
    return this.#lanes !== null;
  }

  /** The note kept with a value; -1: the value is new, or values are no longer kept. */
  find(high: number, low: number): number {
    const lanes = this.#lanes;
    if (lanes === null) return -1;
    const laneLow = low === 0 && high === 0 ? 1 : low;
    let slot = laneLow & this.#mask;
    for (;;) {
      const slotHigh = lanes[slot * 2] as number;
      const slotLow = lanes[slot * 2 + 1] as number;
      if (slotHigh === high && slotLow === laneLow) {
        this.#slot = slot;
        return this.#notes[slot] as number;
      }
      if (slotHigh === 0 && slotLow === 0) break;
      slot = (slot + 1) & this.#mask;
    }
    this.#slot = slot;
    return -1;
  }

  /** The row in which the value occurs first that `find` has just found. */
  get firstRow(): number {
    return this.#rows[this.#slot] as number;
  }

  /** Adds a value that `find` has just not found. @param note from 0 to 255 */
  add(high: number, low: number, note: number, row: number): void {
    if (this.#lanes === null) {
      this.#register(high, low);
      return;
    }
    if (this.size === MAX_EXACT) {
      this.#estimate();
      this.#register(high, low);
      return;
    }
    this.#put(this.#slot, high, low === 0 && high === 0 ? 1 : low, note, row);
    this.size += 1;
    if (this.size * 4 > (this.#mask + 1) * 3) this.#grow();
  }

  /** The number of values, exact or estimated. */
  count(): number {
    if (this.#registers === null) return this.size;
    let sum = 0;
    let zeros = 0;
    for (const rank of this.#registers) {
      sum += 2 ** -rank;
      if (rank === 0) zeros += 1;
    }
    const raw = (BIAS * REGISTERS * REGISTERS) / sum;
    return Math.round(zeros > 0 && raw < 2.5 * REGISTERS ? REGISTERS * Math.log(REGISTERS / zeros) : raw);
  }

  #put(slot: number, high: number, low: number, note: number, row: number): void {
    const lanes = this.#lanes as Int32Array;
    lanes[slot * 2] = high;
    lanes[slot * 2 + 1] = low;
    this.#notes[slot] = note;
    this.#rows[slot] = row;
  }

  #grow(): void {
    const lanes = this.#lanes as Int32Array;
    const notes = this.#notes;
    const rows = this.#rows;
    const slots = (this.#mask + 1) * 2;
    this.#lanes = new Int32Array(slots * 2);
    this.#notes = new Uint8Array(slots);
    this.#rows = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (let slot = 0; slot < slots / 2; slot += 1) {
      const high = lanes[slot * 2] as number;
      const low = lanes[slot * 2 + 1] as number;
      if (high === 0 && low === 0) continue;
      this.find(high, low);
      this.#put(this.#slot, high, low, notes[slot] as number, rows[slot] as number);
    }
  }

  #estimate(): void {
    const lanes = this.#lanes as Int32Array;
    this.#registers = new Uint8Array(REGISTERS);
    for (let at = 0; at < lanes.length; at += 2) {
      const high = lanes[at] as number;
      const low = lanes[at + 1] as number;
      if (high !== 0 || low !== 0) this.#register(high, low);
    }
    this.#lanes = null;
    this.#notes = new Uint8Array(0);
    this.#rows = new Uint32Array(0);
  }

  #register(high: number, low: number): void {
    const registers = this.#registers as Uint8Array;
    const index = high >>> (32 - REGISTER_BITS);
    const rank = Math.clz32(low) + 1;
    if (rank > (registers[index] as number)) registers[index] = rank;
  }
}
