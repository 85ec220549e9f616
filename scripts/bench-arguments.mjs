/**
 * What is wrong with the arguments of `npm run bench`, before anything is installed or built for them. The program itself reads
 * them with `bench/command-line.ts`; a test holds the two against each other.
 */
import { parseArgs } from 'node:util';

const BENCHMARKS = [
  ...['import-csv', 'import-profile', 'import-jsonl', 'import-xlsx', 'reimport', 'update', 'changes', 'inspect'],
  ...[
    'export-csv',
    'export-jsonl',
    'export-xlsx',
    'bulk-json',
    'jobs',
    'accept',
    'cold',
    'backlog',
    'latency',
    'burst',
  ],
  ...['tenants', 'webhooks', 'fairness', 'abuse', 'scale'],
];
const BACKENDS = ['pg', 'redis'];
const OPTIONS = {
  ...{ only: { type: 'string', multiple: true }, backend: { type: 'string', multiple: true } },
  ...{ quick: { type: 'boolean' }, profile: { type: 'boolean' } },
  ...{ json: { type: 'string' }, rows: { type: 'string' }, runs: { type: 'string' } },
};

/** @returns a sentence for the person; null: nothing is wrong */
export function benchMistake(args) {
  let values;
  try {
    values = parseArgs({ args, options: OPTIONS, strict: true }).values;
  } catch (error) {
    return `${error.message}\nnpm run bench takes ${Object.keys(OPTIONS)
      .map((name) => `--${name}`)
      .join(', ')}`;
  }
  const benchmark = listOf(values.only).find((name) => !BENCHMARKS.includes(name));
  if (benchmark !== undefined) return `there is no benchmark "${benchmark}"; there are ${BENCHMARKS.join(', ')}`;
  const backend = listOf(values.backend).find((name) => !BACKENDS.includes(name));
  if (backend !== undefined) return `there is no backend "${backend}"; there are ${BACKENDS.join(', ')}`;
  for (const name of ['rows', 'runs']) {
    const text = values[name];
    const number = Number(text?.replaceAll('_', ''));
    if (text !== undefined && (!Number.isSafeInteger(number) || number < 1))
      return `--${name} takes a whole number, not "${text}"`;
  }
  return null;
}

function listOf(values = []) {
  return values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
