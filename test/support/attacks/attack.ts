/** An attack, and who attacks. */

/** Who attacks: an account of its own, and the address from which it comes. */
export interface Attacker {
  readonly baseUrl: string;
  readonly account: string;
  /** With all scopes. */
  readonly token: string;
  /** With `catalog:read` only. */
  readonly readerToken: string;
  /** Undefined: the one that the system gives. */
  readonly localAddress: string | undefined;
  /** Which part of its numbers an attack has: 1 is all of it. */
  readonly strength: number;
}

/** An attack that was prepared. It may begin and end several times. */
export interface Attack {
  begin(): Promise<void> | void;
  /** Ends the attack, and resolves when nothing of it is left to be done. */
  end(): Promise<void>;
}
