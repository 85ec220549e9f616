/** Makes room among the clients that wait for jobs, so that one account does not take the room of the others. */

/** Counts the clients that wait, by account. */
export class WaitingClients {
  readonly #max: number;
  /** How each of an account's clients is answered; the one that has waited longest is first. */
  readonly #accounts = new Map<string, Set<() => void>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false when there is no room: no other account has more clients than this one would have */
  add(accountId: string, answer: () => void): boolean {
    if (this.#count >= this.#max && !this.#makeRoom(accountId)) return false;
    const clients = this.#accounts.get(accountId) ?? new Set();
    this.#accounts.set(accountId, clients.add(answer));
    this.#count++;
    return true;
  }

  delete(accountId: string, answer: () => void): void {
    const clients = this.#accounts.get(accountId);
    if (clients?.delete(answer) !== true) return;
    this.#count--;
    if (clients.size === 0) this.#accounts.delete(accountId);
  }

  #makeRoom(accountId: string): boolean {
    const own = (this.#accounts.get(accountId)?.size ?? 0) + 1;
    const [most, clients] = [...this.#accounts].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    const [answer] = clients;
    if (clients.size <= own || answer === undefined) return false;
    this.delete(most, answer);
    answer();
    return true;
  }
}
