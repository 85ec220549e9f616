/** Times as programs write them are read as they are proposed: with an offset in any form, or as texts if no format can say them. */
import assert from 'node:assert/strict';
import { dateStep } from '../../../../src/domain/profiles/steps/date.js';
import { csv, lineOf, profileOf, proposalFor } from './propose-fixture.js';

const DAYS = ['05', '17', '28'];

/** What the proposal for a column of such times says: its type, its formats, and what these make of the first cell. */
async function read(timeOf: (day: string) => string) {
  const file = csv(['sku', 'updated'], DAYS.length, (row) => [`A${row}`, timeOf(DAYS[row] ?? '')]);
  const proposal = await proposalFor(file);
  const type = proposal.missing.attributes.find(({ name }) => name === 'updated')?.type;
  const rule = profileOf(proposal).columns.find(({ from }) => from === 'updated');
  const [step] = rule?.steps ?? [];
  const parsed = dateStep.schema.safeParse(step);
  if (!parsed.success) return { type, formats: [], value: null };
  return { type, formats: parsed.data.formats, value: dateStep.compile(parsed.data)(timeOf('05')) };
}

describe('times that programs write', () => {
  const AT_TEN = '2026-11-05T10:00:00.000Z';
  const cases: readonly (readonly [string, string, (day: string) => string, string])[] = [
    ['UTC behind them', "yyyy-MM-dd HH:mm:ss 'UTC'", (day) => `2026-11-${day} 10:00:00 UTC`, AT_TEN],
    ['GMT behind them', "yyyy/MM/dd HH:mm'GMT'", (day) => `2026/11/${day} 10:00GMT`, AT_TEN],
    ['an offset behind a blank', 'yyyy-MM-dd HH:mm:ss XXX', (day) => `2026-11-${day} 12:00:00 +02:00`, AT_TEN],
    ['an offset without a colon', 'yyyy-MM-dd HH:mm:ss XXX', (day) => `2026-11-${day} 12:00:00 +0200`, AT_TEN],
    ['a comma before milliseconds', "yyyy-MM-dd'T'HH:mm:ss,SSSXXX", (day) => `2026-11-${day}T10:00:00,000Z`, AT_TEN],
  ];
  for (const [what, format, timeOf, instant] of cases) {
    it(`are read with ${what}`, async () => {
      assert.deepEqual(await read(timeOf), { type: 'DATETIME', formats: [format], value: instant });
    });
  }

  it('are read without the few whose format no import reads, which are likely at most', async () => {
    const file = csv(['sku', 'updated'], 100, (row) => [
      ...[`A${row}`, row === 99 ? '28.11.2026 11:00:00.5' : `${10 + (row % 18)}.11.2026 10:00:00`],
    ]);
    const proposal = await proposalFor(file);
    assert.equal(proposal.missing.attributes.find(({ name }) => name === 'updated')?.type, 'DATETIME');
    const rule = profileOf(proposal).columns.find(({ from }) => from === 'updated');
    assert.deepEqual(rule?.steps, [{ step: 'date', formats: ['dd.MM.yyyy HH:mm:ss'] }]);
    assert.equal(lineOf(proposal, 'updated').verdict, 'likely');
    const known = await proposalFor(file, { attributes: [{ name: 'updated', type: 'DATETIME' }] });
    assert.equal(lineOf(known, 'updated').verdict, 'likely');
  });

  it('need no step where an import reads them as they are', async () => {
    for (const fraction of ['.0', '.123000', ',5']) {
      for (const separator of [' ', 'T']) {
        const found = await read((day) => `2026-11-${day}${separator}10:00:00${fraction}`);
        assert.deepEqual(found, { type: 'DATETIME', formats: [], value: null }, fraction);
      }
    }
    const mostly = await read((day) => `2026-11-${day} 10:00:00${day === '28' ? '.5' : ''}`);
    assert.deepEqual(mostly, { type: 'DATETIME', formats: [], value: null });
    const japanese = await read((day) => `2026/11/${day} 10:00:00.0`);
    assert.deepEqual(japanese, { type: 'TEXT', formats: [], value: null }, 'an import reads no slashes without a step');
  });

  it('stay texts if they are finer than milliseconds, which no format can say', async () => {
    const found = await read((day) => `2026-11-${day} 10:00:00.123456`);
    assert.deepEqual(found, { type: 'TEXT', formats: [], value: null });
    const proposal = await proposalFor('sku;updated\nA;2026-11-05 10:00:00.123456\nB;2026-11-17 10:00:00.654321\n');
    assert.equal(lineOf(proposal, 'updated').to, 'updated');
  });
});
