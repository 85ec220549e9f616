/** Logs a passing outage once when it begins and once when it has ended, instead of each of its failures. */
import type { Logger } from './logger.js';

interface Outage {
  readonly since: number;
  last: number;
  failures: number;
  escalated: boolean;
}

interface OutageLogOptions {
  /** An outage has ended when nothing has failed for so long. Default: 10 s. */
  readonly quietMs?: number;
  /** An outage that has lasted for so long needs a person. Default: 5 minutes. */
  readonly lastingMs?: number;
}

const QUIET_MS = 10_000;
const LASTING_MS = 5 * 60_000;

/** Each logger has one, so all parts of a process report the same outage together. */
const known = new WeakMap<Logger, Map<string, Outage>>();

/**
 * Reports one failure of an outage. The first is logged as `warn`, later ones at debug level, and the end as `warn` with
 * the duration and the number of failures. An outage of more than five minutes is logged as `error` once.
 * @param part what is out of reach: failures of the same part belong to the same outage
 * @param message for the first line: what does not work, and what happens meanwhile
 */
export function logOutage(
  logger: Logger,
  part: string,
  error: unknown,
  message: string,
  { quietMs = QUIET_MS, lastingMs = LASTING_MS }: OutageLogOptions = {},
): void {
  const outages = known.get(logger) ?? new Map<string, Outage>();
  known.set(logger, outages);
  const now = performance.now();
  const outage = outages.get(part);
  if (outage === undefined) {
    logger.warn({ err: error, part }, `${message}; further failures are counted, and the end is logged`);
    const begun: Outage = { since: now, last: now, failures: 1, escalated: false };
    outages.set(part, begun);
    watchEnd(logger, outages, part, begun, quietMs);
    return;
  }
  outage.last = now;
  outage.failures++;
  if (!outage.escalated && now - outage.since >= lastingMs) {
    outage.escalated = true;
    logger.error({ err: error, part, ...lengthOf(outage) }, `${message}; this does not pass by itself`);
    return;
  }
  logger.debug({ err: error, part }, message);
}

function watchEnd(logger: Logger, outages: Map<string, Outage>, part: string, outage: Outage, quietMs: number): void {
  const quietForMs = performance.now() - outage.last;
  setTimeout(
    () => {
      if (performance.now() - outage.last < quietMs) return watchEnd(logger, outages, part, outage, quietMs);
      outages.delete(part);
      logger.warn({ part, ...lengthOf(outage) }, 'an outage has ended');
    },
    Math.max(quietMs - quietForMs, 1),
  ).unref();
}

function lengthOf({ since, last, failures }: Outage): { durationMs: number; failures: number } {
  return { durationMs: Math.round(last - since), failures };
}
