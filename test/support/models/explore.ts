/** Explores all states of a state machine, breadth first, and judges where its paths end. */

interface Explored<State> {
  readonly next: State;
  readonly isFault: boolean;
  /** Its outcome depends on what another process does at this moment, so that it cannot be the same for ever. */
  readonly isBusy: boolean;
}

/** What is explored. */
export interface Machine<State, Move extends Explored<State>> {
  readonly initial: State;
  /** A text that two states share if they are the same. */
  readonly keyOf: (state: State) => string;
  /** @throws when a move violates an invariant */
  readonly movesFrom: (state: State) => readonly Move[];
  /** Whether everything is done. */
  readonly isOver: (state: State) => boolean;
  readonly lineOf: (move: Move) => string;
}

export interface Exploration {
  readonly states: number;
  readonly moves: number;
  /** States from which no move but a fault leads on. */
  readonly ends: number;
  /** The most moves from the initial state to any other, by the shortest way. */
  readonly depth: number;
  /** The first thing that must not be, with the shortest way to it; null if there is none. */
  readonly violation: { readonly what: string; readonly story: readonly string[] } | null;
}

/**
 * Visits every reachable state. It is a violation if a move violates an invariant, if no move but a fault is possible
 * before everything is done (a lost step, a deadlock), and if moves that are no faults can go on for ever. So every path
 * on which faults are finite, and no lock is found taken each time, ends with everything done.
 */
export function explore<State, Move extends Explored<State>>(
  machine: Machine<State, Move>,
  mostStates: number,
): Exploration {
  const { initial, keyOf, movesFrom, isOver, lineOf } = machine;
  const found = new Map<string, number>([[keyOf(initial), 0]]);
  const frontier: (State | undefined)[] = [initial];
  const cameFrom = [-1];
  const depths = [0];
  const edges = new Edges();
  let ends = 0;
  let moves = 0;
  /** Goes the way to a state again, since no state is kept. */
  const storyOf = (index: number): string[] => {
    const way: number[] = [];
    for (let at = index; at > 0; at = cameFrom[at] ?? 0) way.unshift(at);
    let state = initial;
    return way.map((target) => {
      const move = movesFrom(state).find(({ next }) => found.get(keyOf(next)) === target);
      if (move === undefined) throw new Error('a state cannot be reached again');
      state = move.next;
      return lineOf(move);
    });
  };
  const result = (violation: Exploration['violation']): Exploration => {
    return { states: found.size, moves, ends, depth: depths.at(-1) ?? 0, violation };
  };
  for (let index = 0; index < frontier.length; index++) {
    const state = frontier[index];
    if (state === undefined) continue;
    frontier[index] = undefined;
    let possible: readonly Move[];
    try {
      possible = movesFrom(state);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return result({ what: error.message, story: storyOf(index) });
    }
    edges.begin();
    let goesOn = false;
    for (const move of possible) {
      moves++;
      const key = keyOf(move.next);
      let target = found.get(key);
      if (target === undefined) {
        target = frontier.length;
        if (target >= mostStates) throw new Error(`there are more than ${mostStates} states`);
        found.set(key, target);
        frontier.push(move.next);
        cameFrom.push(index);
        depths.push((depths[index] ?? 0) + 1);
      }
      if (move.isFault || move.isBusy) continue;
      goesOn = true;
      edges.add(target);
    }
    if (goesOn) continue;
    ends++;
    if (!isOver(state)) return result({ what: 'no move is left, and not everything is done', story: storyOf(index) });
  }
  const endless = edges.onCycle();
  return result(endless === null ? null : { what: 'the moves can go on for ever', story: storyOf(endless) });
}

/** The moves between states, of each state in turn. */
class Edges {
  readonly #starts: number[] = [];
  #targets = new Uint32Array(1 << 16);
  #count = 0;

  /** Begins the next state. */
  begin(): void {
    this.#starts.push(this.#count);
  }

  add(target: number): void {
    if (this.#count === this.#targets.length) {
      const larger = new Uint32Array(2 * this.#count);
      larger.set(this.#targets);
      this.#targets = larger;
    }
    this.#targets[this.#count++] = target;
  }

  /** Removes states that no remaining move leads to, until none is left. @returns a state that remains; null if none */
  onCycle(): number | null {
    const states = this.#starts.length;
    const incoming = new Uint32Array(states);
    for (let edge = 0; edge < this.#count; edge++) this.#countIn(incoming, edge, 1);
    const free: number[] = [];
    for (let state = 0; state < states; state++) if (incoming[state] === 0) free.push(state);
    let removed = 0;
    for (let state = free.pop(); state !== undefined; state = free.pop()) {
      removed++;
      const end = this.#starts[state + 1] ?? this.#count;
      for (let edge = this.#starts[state] ?? end; edge < end; edge++) {
        if (this.#countIn(incoming, edge, -1) === 0) free.push(this.#targets[edge] ?? 0);
      }
    }
    if (removed === states) return null;
    return incoming.findIndex((count) => count > 0);
  }

  #countIn(incoming: Uint32Array, edge: number, change: 1 | -1): number {
    const target = this.#targets[edge] ?? 0;
    const count = (incoming[target] ?? 0) + change;
    incoming[target] = count;
    return count;
  }
}
