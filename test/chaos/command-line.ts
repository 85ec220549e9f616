/** What a person types after `npm run chaos --`. */
import { parseArgs } from 'node:util';
import { INJECTED_BUGS } from './injected-bugs.js';
import { BACKENDS, type ChaosBackend, STORES, type StoreKind } from './schedule.js';
import { LANES, type LaneName } from './workload.js';

export interface ChaosArguments {
  readonly minutes: number;
  readonly seed: number;
  readonly backend: ChaosBackend;
  readonly store: StoreKind;
  /** The numbers of the faults of the schedule that are to happen; undefined: all. */
  readonly faults: readonly number[] | undefined;
  readonly lanes: readonly LaneName[];
  readonly inject: string | undefined;
  /** Print the story of a run that passes as well. */
  readonly story: boolean;
  /** How long a failing run may be repeated to make its story shorter. */
  readonly shrinkMinutes: number;
}

/** A sentence about the arguments, for the person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  minutes: { type: 'string' },
  seed: { type: 'string' },
  backend: { type: 'string' },
  store: { type: 'string' },
  faults: { type: 'string' },
  lanes: { type: 'string' },
  inject: { type: 'string' },
  story: { type: 'boolean' },
  'shrink-minutes': { type: 'string' },
} as const;

const DEFAULT_MINUTES = 1;
const MOST_MINUTES = 600;

/** @param seed for a run that names none @throws UsageError */
export function parseChaosArguments(args: readonly string[], seed: number): ChaosArguments {
  const { values } = parsed(args);
  const minutes = numberOf('--minutes', values.minutes) ?? DEFAULT_MINUTES;
  if (minutes <= 0 || minutes > MOST_MINUTES) {
    throw new UsageError(`--minutes takes a number up to ${MOST_MINUTES}, not "${values.minutes}"`);
  }
  return {
    minutes,
    seed: wholeNumber('--seed', values.seed) ?? seed,
    backend: oneOf('--backend', values.backend ?? 'pg', BACKENDS),
    store: oneOf('--store', values.store ?? 'folder', STORES),
    faults:
      values.faults === undefined ? undefined : listOf(values.faults).map((text) => wholeNumber('--faults', text) ?? 0),
    lanes: values.lanes === undefined ? LANES : listOf(values.lanes).map((text) => oneOf('--lanes', text, LANES)),
    inject: values.inject === undefined ? undefined : oneOf('--inject', values.inject, Object.keys(INJECTED_BUGS)),
    story: values.story === true,
    shrinkMinutes: numberOf('--shrink-minutes', values['shrink-minutes']) ?? 10 * minutes,
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** An empty list is one: no faults at all. */
function listOf(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function oneOf<Known extends string>(option: string, text: string, known: readonly Known[]): Known {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new UsageError(`${option} takes ${known.join(', ')}, not "${text}"`);
  return found;
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new UsageError(`${option} takes a number, not "${text}"`);
  return value;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  const value = numberOf(option, text);
  if (value !== undefined && !Number.isSafeInteger(value)) {
    throw new UsageError(`${option} takes a whole number, not "${text}"`);
  }
  return value;
}
