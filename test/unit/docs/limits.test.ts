/**
 * The page of all limits gives the figures of the code: of its constants, and of the defaults of variables. WRITE_DOCS=1
 * writes the figures of constants anew.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { environmentSchema } from '../../../src/config/environment.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const textOf = (path: string) => readFileSync(`${REPOSITORY}${path}`, 'utf8');

/** Variables with a number that limits nothing that a caller or an operator could reach. */
const NO_LIMITS = new Set([
  'PORT',
  'DATABASE_SILENCE_MS',
  'STEP_WAIT_LIMIT_SECONDS',
  'WORKER_LOCK_MS',
  'WORKER_STALLED_MS',
  'SHUTDOWN_GRACE_MS',
  'RECONCILE_MS',
  'RECONCILE_GRACE_MS',
]);
const NAMED: Readonly<Record<string, number>> = {
  KIB: 1024,
  MIB: 1_048_576,
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
};
const UNITS: readonly (readonly [unit: string, size: number, of: RegExp])[] = [
  ['KiB', 1024, /bytes/i],
  ['MiB', 1_048_576, /bytes/i],
  ['GiB', 1_073_741_824, /bytes/i],
  ['MiB', 1, /_MB$/],
  ['s', 1, /_SECONDS$/],
  ['s', 1_000, /ms$/i],
  ['min', 60_000, /ms$/i],
  ['hours', 3_600_000, /ms$/i],
  ['min', 1, /_MINUTES$/],
  ['hours', 1, /_HOURS$/],
  ['days', 1, /_DAYS$/],
];

interface Row {
  readonly what: string;
  readonly limit: string;
  readonly variables: readonly string[];
  /** The constants that the figures are from: the folder of src, and the name. */
  readonly marks: readonly (readonly [folder: string, name: string])[];
}

const PAGE = 'docs/run/limits.md';
if (process.env.WRITE_DOCS === '1') writeFileSync(`${REPOSITORY}${PAGE}`, withFigures(textOf(PAGE)));

/** The lines of the tables that have a column for variables; the other tables explain. */
const lines = textOf(PAGE)
  .split('\n\n')
  .filter((table) => /^\| What .*\| Variable /.test(table))
  .flatMap((table) => table.split('\n').slice(2))
  .filter((line) => line !== '');

const rows: Row[] = lines.map((line) => {
  const [, what = '', , limit = '', variable = ''] = line.split('|').map((cell) => cell.trim());
  const marks = [...line.matchAll(/<!-- (\S+) (\w+) -->/g)].map(
    ([, folder = '', name = '']) => [folder, name] as const,
  );
  const variables = [...variable.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name);
  return { what, limit, variables, marks };
});

/** The figures that constants or members of this name have in a folder, such as `const MAX_ROWS = 5 * 1024;`. */
function figuresOf(folder: string, name: string): number[] {
  const pattern = new RegExp(`\\b${name}(?:: \\w+)?(?: =|:) ([\\dA-Z_* ]+)[;,} ]`, 'g');
  return readdirSync(`${REPOSITORY}src/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...textOf(`src/${folder}/${file}`).matchAll(pattern)].map(([, text = '']) => productOf(text)))
    .filter((value) => Number.isFinite(value));
}

function productOf(product: string): number {
  const factors = product.split('*').map((factor) => factor.trim());
  return factors.reduce((value, factor) => value * (NAMED[factor] ?? Number(factor.replaceAll('_', ''))), 1);
}

/** How a figure may be written: 2,048; 32 MiB; 15 s. */
function formsOf(value: number, name: string): string[] {
  const units = UNITS.filter(([, size, of]) => of.test(name) && Number.isInteger(value / size));
  const plain = value.toLocaleString('en-US');
  return [plain, ...units.map(([unit, size]) => `${(value / size).toLocaleString('en-US')} ${unit}`)];
}

/** The page with the figure of the code before each mark that has another one. */
function withFigures(page: string): string {
  const pattern = /([\d,.]+(?: (?:KiB|MiB|GiB|s|min|hours))?)( <!-- (\S+) (\w+) -->)/g;
  return page.replace(pattern, (all, shown: string, mark: string, folder: string, name: string) => {
    const forms = figuresOf(folder, name).map((figure) => formsOf(figure, name));
    const [first] = forms;
    return first === undefined || forms.flat().includes(shown) ? all : `${first.at(-1)}${mark}`;
  });
}

const saysOneOf = (text: string, forms: readonly string[]) =>
  forms.some((form) => new RegExp(`(?<![\\d,.])${form}(?![\\d,]*\\d)`).test(text));

describe('the page of all limits', () => {
  const defaults = environmentSchema.parse({}) as Readonly<Record<string, unknown>>;

  it('gives a figure of the code in each row, or says that there is none', () => {
    const unchecked = rows.filter(
      ({ limit, marks, variables }) => marks.length + variables.length === 0 && limit !== 'none',
    );
    assert.ok(rows.length > 60);
    assert.deepEqual(unchecked, []);
  });

  it('gives the figures of constants', () => {
    const wrong = rows.flatMap(({ what, marks }) =>
      marks.flatMap(([folder, name]) => {
        const figures = figuresOf(folder, name);
        const line = lines.find((each) => each.startsWith(`| ${what} `) && each.includes(`<!-- ${folder} ${name} -->`));
        const [before = ''] = (line ?? '').split(` <!-- ${folder} ${name} -->`);
        const last = before.split('|').at(-1)?.split('-->').at(-1) ?? '';
        return figures.some((figure) => saysOneOf(last, formsOf(figure, name)))
          ? []
          : [`${what}: ${name} is ${figures}, not ${last}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it('gives the defaults of variables, and names each that is a limit', () => {
    const wrong = rows.flatMap(({ what, limit, variables, marks }) =>
      variables
        .filter(() => marks.length === 0)
        .filter((name) => !saysOneOf(limit, formsOf(Number(defaults[name]), name)))
        .map((name) => `${what}: ${name} is ${defaults[name]}, not ${limit}`),
    );
    const named = new Set(rows.flatMap(({ variables }) => variables));
    const missing = Object.keys(defaults).filter(
      (name) => typeof defaults[name] === 'number' && !NO_LIMITS.has(name) && !named.has(name),
    );
    assert.deepEqual([...wrong, ...missing], []);
  });

  it('names each code with which a request is refused because there are too many', () => {
    const page = textOf(PAGE);
    const files = readdirSync(`${REPOSITORY}src`, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const codes = files.flatMap((file) => [
      ...textOf(`src/${file}`).matchAll(/DomainError\(\s*'busy',\s*['`]([A-Za-z_]+)/g),
    ]);
    const names = new Set(codes.map(([, code = '']) => code));
    assert.ok(names.size >= 5);
    assert.deepEqual(
      [...names].filter((code) => !page.includes(`\`${code}`)),
      [],
    );
  });
});
