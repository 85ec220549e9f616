/** What a person types after `npm run bench --`. */
import { parseArgs } from 'node:util';
import { BACKENDS, type Backend } from './backend.js';

export interface BenchArguments {
  /** Names of benchmarks, in the order given; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly backends: readonly Backend[];
  readonly quick: boolean;
  readonly profile: boolean;
  readonly json: string | undefined;
  readonly rows: number | undefined;
  readonly runs: number | undefined;
}

/** A sentence about the arguments, for the person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  only: { type: 'string', multiple: true },
  backend: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  profile: { type: 'boolean' },
  json: { type: 'string' },
  rows: { type: 'string' },
  runs: { type: 'string' },
} as const;

/** @param known the names there are @throws UsageError */
export function parseBenchArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const { values } = parsed(args);
  const only = listOf(values.only);
  for (const name of only ?? []) {
    if (!known.includes(name)) throw new UsageError(`there is no benchmark "${name}"; there are ${known.join(', ')}`);
  }
  return {
    only,
    backends: listOf(values.backend)?.map(backendOf) ?? ['pg'],
    quick: values.quick === true,
    profile: values.profile === true,
    json: values.json,
    rows: wholeNumber('--rows', values.rows),
    runs: wholeNumber('--runs', values.runs),
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A list may be given in one argument with commas, in several, or both. */
function listOf(values: readonly string[] | undefined): string[] | undefined {
  const names = values?.flatMap((value) => value.split(',')).map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

function backendOf(name: string): Backend {
  const backend = BACKENDS.find((known) => known === name);
  if (backend === undefined) throw new UsageError(`there is no backend "${name}"; there are ${BACKENDS.join(', ')}`);
  return backend;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`${option} takes a whole number, not "${text}"`);
  return value;
}
