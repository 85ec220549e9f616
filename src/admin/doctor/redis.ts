/** Examines the servers of Redis: version, memory, persistence and clock. */
import type { Config } from '../../config/config.js';
import { within } from '../../platform/concurrency/within.js';
import { openRedis, redisServers } from '../../platform/redis.js';
import { examineClock } from './clock.js';
import { CHECK_MS, type Finding, messageOf } from './finding.js';

const OLDEST_REDIS = [6, 2] as const;
const FULL = 0.9;

export async function examineRedis({ redisUrl, redisTls }: Config, now: () => number): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  const client = openRedis(redisUrl, { tls: redisTls, failsFast: false });
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  try {
    const servers = redisServers(client);
    if (!(await within(servers, CHECK_MS / 2))) {
      const found = `it does not answer${lastError === undefined ? '' : `: ${messageOf(lastError)}`}`;
      return [{ check: 'redis', status: 'wrong', found, cure: cureOf(messageOf(lastError)) }];
    }
    return (await servers).flatMap((server) => {
      const { address, version, policy, evicts, role, usedBytes, maxBytes, clockMs, askedAtMs } = server;
      const mistakes: Finding[] = [];
      const say = (status: 'wrong' | 'warning', found: string, cure: string) =>
        mistakes.push({ check: 'redis', status, found: `${address}: ${found}`, cure });
      const [major = 0, minor = 0] = version.split('.').map(Number);
      if (major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1])) {
        say('wrong', `version ${version} is too old`, `use Redis ${OLDEST_REDIS.join('.')} or newer`);
      }
      if (evicts) {
        const cure = 'set maxmemory-policy to noeviction (CONFIG SET, and in the configuration)';
        say('wrong', `maxmemory-policy is ${policy}: it may remove queued work when its memory is full`, cure);
      }
      if (role === 'slave')
        say('wrong', 'it is a replica', 'point REDIS_URL to the primary server, or use redis+sentinel://');
      if (maxBytes > 0 && usedBytes > FULL * maxBytes) {
        say('warning', `${Math.round((100 * usedBytes) / maxBytes)} % of its memory are used`, 'raise maxmemory');
      }
      const clock = examineClock(`Redis (${address})`, clockMs, askedAtMs + now() - Date.now());
      if (mistakes.length > 0) return [...mistakes, clock];
      return [{ check: 'redis', status: 'ok' as const, found: `${address}: version ${version}, noeviction` }, clock];
    });
  } finally {
    client.disconnect();
  }
}

function cureOf(message: string): string {
  if (/WRONGPASS|NOAUTH/.test(message)) return 'correct the user and password in REDIS_URL';
  if (/certificate|self.signed|altnames/i.test(message)) {
    return 'set REDIS_CA_FILE to the certificate of its authority; the host in REDIS_URL has to be in the certificate';
  }
  return 'start Redis, and make sure that this host reaches the address in REDIS_URL';
}
