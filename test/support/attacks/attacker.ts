/**
 * An attack from a process of its own, so that what the attacker computes delays neither the other tenant's clients nor
 * the clock that times them; from an address of its own, too, because limits by address are not to be the victim's.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attacker } from './attack.js';
import type { AttackName } from './attacks.js';

export interface AttackerProcess {
  /** Lets it make what an attack needs. */
  prepare(attack: AttackName, attacker: Omit<Attacker, 'localAddress'>): Promise<void>;
  /** Resolves when the prepared attack is under way. It may begin and end several times. @throws when it cannot begin */
  begin(): Promise<void>;
  /** Resolves when nothing of the attack is left to be done. */
  end(): Promise<void>;
  /** Ends the process. */
  stop(): Promise<void>;
}

/** What the attacker's process is told. */
export interface Order {
  readonly attack: AttackName;
  readonly attacker: Attacker;
}

export type Command = 'begin' | 'end';

/** One attack after another. */
export function startAttacker(): AttackerProcess {
  const child = fork(fileURLToPath(new URL('attacker-program.js', import.meta.url)));
  const exited = once(child, 'exit').then(([code, signal]) => `the attacker ended (${signal ?? `code ${code}`})`);
  const send = async (message: Order | Command) => {
    const answered = once(child, 'message').then(([error]: (string | null)[]) => error ?? null);
    child.send(message);
    const error = await Promise.race([answered, exited]);
    if (error !== null) throw new Error(`the attack failed: ${error}`);
  };
  return {
    prepare: (attack, attacker) => send({ attack, attacker: { ...attacker, localAddress: OTHER_ADDRESS } }),
    begin: () => send('begin'),
    end: () => send('end'),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** On Linux, all addresses of 127.0.0.0/8 are those of this machine. */
const OTHER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;
