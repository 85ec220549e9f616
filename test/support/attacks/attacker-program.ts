/** The process of an attacker: gets what to attack, then commands, and answers each with null or with an error. */
import { setPriority } from 'node:os';
import { Agent, setGlobalDispatcher } from 'undici';
import type { Attack } from './attack.js';
import type { Command, Order } from './attacker.js';
import { prepareAttack } from './attacks.js';

/** Attackers have machines of their own: here, they get what the system and its other clients leave of this one. */
const LOWEST_PRIORITY = 19;

let attack: Attack | undefined;

async function obey(message: Order | Command): Promise<void> {
  if (typeof message !== 'string') {
    const { localAddress } = message.attacker;
    setGlobalDispatcher(new Agent(localAddress === undefined ? {} : { localAddress }));
    attack = await prepareAttack(message.attack, message.attacker);
  } else {
    await attack?.[message]();
  }
}

setPriority(LOWEST_PRIORITY);
process.on('message', (message: Order | Command) => {
  obey(message).then(
    () => process.send?.(null),
    (error: unknown) => process.send?.(String(error instanceof Error ? error.stack : error)),
  );
});
process.once('disconnect', () => process.exit());
