/** How long a process counts as used by several after work of two of them. */
const CONTENDED_FOR_MS = 10_000;

/** Whether several use something at the moment, or one has it to itself. */
export class Contention {
  #last = '';
  #until = 0;

  /** @param now the clock, in milliseconds */
  constructor(readonly now: () => number = performance.now.bind(performance)) {}

  /** Notes that somebody uses it. */
  notice(user: string): void {
    if (this.#last !== user && this.#last !== '') this.#until = this.now() + CONTENDED_FOR_MS;
    this.#last = user;
  }

  isContended(): boolean {
    return this.#until > 0 && this.now() < this.#until;
  }
}
