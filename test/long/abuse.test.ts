/** While one tenant attacks, the requests of another take at most a few times what they take in an idle system. */
import type { AttackName } from '../support/attacks/attacks.js';
import { DEFINITION_ATTACK_NAMES } from '../support/attacks/definition-attacks.js';
import { SLOW_TARGET } from '../support/attacks/webhook-attacks.js';
import { runAbuseTrials } from '../system/abuse.trials.js';

/** What a tenant defines has to be computed for it: beside such work, others have less of the machine. */
const TIMES = 3;
const TIMES_BY_DEFINITIONS = 4;

describe('the requests of a tenant take a few times as long at most while another one attacks with', function () {
  this.timeout(600_000);
  const byDefinitions = new Set<AttackName>([...DEFINITION_ATTACK_NAMES, SLOW_TARGET]);
  const timesAtMost = (attack: AttackName) => (byDefinitions.has(attack) ? TIMES_BY_DEFINITIONS : TIMES);
  runAbuseTrials({ warmUp: 20, windows: 8, rounds: 12, strength: 1, timesAtMost, onEach: true });
});
