/** The page for those who configure Longshore names each variable that it reads, with its default, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { environmentSchema, SETTINGS } from '../../../src/config/environment.js';

const textOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

/** NODE_ENV is explained in a sentence of its own, the variables of AWS with S3, and those of OpenTelemetry with the traces. */
const ELSEWHERE = new Map([
  [/^(NODE_ENV|AWS_.*)$/, 'docs/run/install.md'],
  [/^OTEL_/, 'docs/run/operate.md'],
]);

describe('the variables of the environment', () => {
  const elsewhere = (name: string) => [...ELSEWHERE].find(([pattern]) => pattern.test(name))?.[1];

  const [, table = ''] = /\n## Environment variables\n\n((?:\|.*\n)+)/.exec(textOf('docs/run/install.md')) ?? [];
  const [, , ...rows] = table.trim().split('\n');
  const namesOf = (row: string) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name);

  it('are the rows of the table in docs/run/install.md', () => {
    const names = rows.flatMap(namesOf);
    const wanted = SETTINGS.filter((name) => elsewhere(name) === undefined);
    assert.deepEqual(names.filter((name) => elsewhere(name) === undefined).sort(), [...wanted].sort());
  });

  it('have the defaults that the table says, where these are a number, a word or yes and no', () => {
    const defaults = Object.entries(environmentSchema.parse({})).filter(([, value]) => value !== undefined);
    const texts = new Map(
      defaults.map(([name, value]) => [name, value === true ? 'yes' : value === false ? 'no' : `${value}`]),
    );
    const said = rows.flatMap((row) => {
      const cells = (row.split('|')[2] ?? '').replaceAll('`', '').split(', ');
      return namesOf(row).map((name, index) => [name, (cells[index] ?? '').trim()] as const);
    });
    assert.ok(texts.size > 40);
    assert.deepEqual(
      said.filter(([name, text]) => texts.has(name) && texts.get(name) !== text),
      [],
    );
  });

  it('are named where they are explained otherwise', () => {
    const missing = SETTINGS.filter((name) => {
      const page = elsewhere(name);
      return page !== undefined && !new RegExp(`\\b${name}\\b`).test(textOf(page));
    });
    assert.deepEqual(missing, []);
  });
});
