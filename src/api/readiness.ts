/**
 * Tries in the background, every two seconds, what requests and jobs need, and keeps the last result: the probe of a
 * load balancer costs nothing, and a part that hangs does not delay it.
 */

import { Heartbeat } from '../../db/heartbeats.js';
import { within } from '../platform/concurrency/within.js';
import { VERSION } from '../platform/version.js';
import { AllowedRelease } from './allowed-release.js';
import type { Finding } from './readiness/findings.js';
import { type Part, type ProbedServices, partsOf } from './readiness/parts.js';
import { isRefusedWrite } from './readiness/writes.js';

interface PartReport {
  readonly status: 'ok' | 'degraded' | 'down';
  /** What is wrong. It contains nothing of the error itself, because anyone may read it. */
  readonly message?: string | undefined;
  /** What to do. */
  readonly cure?: string | undefined;
}

interface ReadinessReport {
  /** `degraded`: requests are served, although a part does not work well. `down`: no request could be served. */
  readonly status: PartReport['status'];
  /** The age of the result. */
  readonly ageMs: number;
  readonly parts: Readonly<Record<string, PartReport>>;
}

export interface Readiness {
  /** The id of this process, under which its heartbeat is written. */
  readonly processId: string;
  /** Whether the database still allows the release of this process, which is checked with the parts. */
  readonly release: AllowedRelease;
  /** The last findings, without waiting for any. */
  parts(): ReadinessReport['parts'];
  /** Begins to try the parts; a second call does nothing. */
  start(): void;
  /** The last result. Before there is one, it waits for the first. */
  report(): Promise<ReadinessReport>;
  /** Is notified of each error that requests have met: what fails for them is not in order, whatever the checks find. */
  noteFailure(error: unknown): void;
  close(): Promise<void>;
}

const EVERY_MS = 2_000;
/** While the system starts, parts become ready one after the other, and the launcher waits for them. */
const STARTING_EVERY_MS = 250;
const STARTING_MS = 30_000;
/** A part that has not answered in this time does not work. */
const PART_LIMIT_MS = 2_000;
/** Each round takes a few seconds at most, so an older result means that the rounds have stopped. */
const STALE_MS = 15_000;
/** A write of a request that the database refused counts for so long. */
const REFUSED_MS = 10_000;

interface Result {
  readonly at: number;
  readonly parts: ReadonlyMap<string, Finding | null>;
}

/** Tries the parts of the system. @param now for tests, in milliseconds */
export function createReadiness(services: ProbedServices, now: () => number = () => performance.now()): Readiness {
  const { logger } = services;
  const heartbeat = new Heartbeat(services.db, ['web'], VERSION);
  let refused: { readonly at: number; readonly error: unknown } | undefined;
  const lastRefused = () => (refused === undefined || now() - refused.at > REFUSED_MS ? undefined : refused.error);
  const release = new AllowedRelease(services.db);
  const parts = partsOf(services, heartbeat, release, lastRefused);
  const underway = new Map<string, Promise<Finding | null>>();
  const since = new Map<string, number>();
  const startedAt = now();
  let last: Result | undefined;
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** A probe that hangs (a file system may, for good) is not started a second time. */
  async function tryPart(name: string, part: Part): Promise<Finding | null> {
    const attempt = underway.get(name) ?? part.probe().catch((error: unknown) => part.failed(error));
    underway.set(name, attempt);
    attempt.then(
      () => underway.delete(name),
      () => underway.delete(name),
    );
    return (await within(attempt, PART_LIMIT_MS)) ? attempt : part.failed(undefined);
  }

  async function round(): Promise<void> {
    const found = await Promise.all([...parts].map(async ([name, part]) => [name, await tryPart(name, part)] as const));
    const results = new Map(found);
    for (const [name, finding] of results) logChange(name, finding);
    last = { at: now(), parts: results };
  }

  /** One line when a part begins to fail, and one when it works again. */
  function logChange(part: string, finding: Finding | null): void {
    const begun = since.get(part);
    if (finding?.isUnknown === true) return;
    if (finding !== null && begun === undefined) {
      since.set(part, now());
      const { message, cure, needsPerson = false } = finding;
      const line = { part, status: finding.status, cure };
      if (needsPerson) logger.error(line, message);
      else logger.warn(line, message);
    } else if (finding === null && begun !== undefined) {
      since.delete(part);
      logger.warn({ part, durationMs: Math.round(now() - begun) }, 'the part works again');
    }
  }

  async function run(): Promise<void> {
    await round().catch((error: unknown) => logger.error({ err: error }, 'the checks of readiness failed'));
    if (closed) return;
    const isStarting = since.size > 0 && now() - startedAt < STARTING_MS;
    timer = setTimeout(run, isStarting ? STARTING_EVERY_MS : EVERY_MS).unref();
  }

  function start(): void {
    first ??= run();
  }

  return {
    processId: heartbeat.id,
    release,
    parts: () => (last === undefined ? {} : present(last, now()).parts),
    start,
    report: async () => {
      start();
      await first;
      return present(last, now());
    },
    noteFailure: (error) => {
      if (isRefusedWrite(error)) refused = { at: now(), error };
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      if (first !== undefined) await within(heartbeat.stop(), PART_LIMIT_MS);
    },
  };
}

const STALE: Finding = {
  status: 'down',
  message: 'the last result is too old: the checks have stopped',
  cure: 'restart this web process',
};

function present(last: Result | undefined, now: number): ReadinessReport {
  const ageMs = last === undefined ? 0 : Math.round(now - last.at);
  const isStale = last === undefined || ageMs > STALE_MS;
  const found = [...(last?.parts ?? []), ...(isStale ? [['checks', STALE] as const] : [])];
  const all = found.map(([, finding]) => finding?.status);
  return {
    status: all.includes('down') ? 'down' : all.includes('degraded') ? 'degraded' : 'ok',
    ageMs,
    parts: Object.fromEntries(
      found.map(([name, finding]) => [
        name,
        finding === null ? { status: 'ok' } : { status: finding.status, message: finding.message, cure: finding.cure },
      ]),
    ),
  };
}
