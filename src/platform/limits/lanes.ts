/** What waits in lanes, such as those of accounts or addresses. The lanes take turns; in a lane, the order is that of coming. */
export class Lanes<Item> {
  readonly #lanes = new Map<string, Set<Item>>();
  #size = 0;

  /** How many items wait. */
  get size(): number {
    return this.#size;
  }

  /** In how many lanes something waits. */
  get lanes(): number {
    return this.#lanes.size;
  }

  waitingIn(lane: string): number {
    return this.#lanes.get(lane)?.size ?? 0;
  }

  /** @returns takes the item out, if it still waits */
  add(lane: string, item: Item): () => void {
    const waiting = this.#lanes.get(lane) ?? new Set();
    this.#lanes.set(lane, waiting.add(item));
    this.#size++;
    return () => {
      if (!waiting.delete(item)) return;
      this.#size--;
      if (waiting.size === 0) this.#lanes.delete(lane);
    };
  }

  /** Takes the next item out: that of the first lane whose next item may begin. The lane goes behind the others. */
  next(mayBegin: (item: Item) => boolean = () => true): Item | undefined {
    for (const [lane, waiting] of this.#lanes) {
      const [item] = waiting;
      if (item === undefined || !mayBegin(item)) continue;
      waiting.delete(item);
      this.#size--;
      this.#lanes.delete(lane);
      if (waiting.size > 0) this.#lanes.set(lane, waiting);
      return item;
    }
    return undefined;
  }
}

/**
 * A promise of a turn that comes later.
 * @param wait is given what fulfils the promise; returns what takes it out of what waits
 * @param gone when it is aborted, it is taken out, and the promise rejects with its reason
 */
export function untilTurn<Turn>(
  gone: AbortSignal | undefined,
  wait: (begin: (turn: Turn) => void) => () => void,
): Promise<Turn> {
  if (gone?.aborted === true) return Promise.reject(gone.reason);
  return new Promise((resolve, reject) => {
    const leave = wait((turn) => {
      gone?.removeEventListener('abort', leaves);
      resolve(turn);
    });
    const leaves = () => {
      leave();
      reject(gone?.reason);
    };
    gone?.addEventListener('abort', leaves, { once: true });
  });
}
