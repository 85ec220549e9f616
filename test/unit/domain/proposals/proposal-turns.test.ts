/** A proposal for a wide file beside a large catalog gives other work its turn. */
import assert from 'node:assert/strict';
import { propose } from '../../../../src/domain/proposals/propose.js';
import { csv, definitionsOf, type GivenAttribute, inspectionOf } from './propose-fixture.js';

const COLUMNS = 2_000;
const ATTRIBUTES = 5_000;
const MOST_MS = 50;
const WORDS = ['Colour', 'Weight', 'Power', 'Length', 'Signal', 'Voltage', 'Current', 'Torque', 'Filter', 'Handle'];
const letters = (number: number) =>
  [number % 26, Math.floor(number / 26) % 26, Math.floor(number / 676)]
    .map((code) => String.fromCharCode(97 + code))
    .join('');
const nameOf = (number: number) => `${WORDS[number % WORDS.length]} ${letters(number)}`;

describe('a proposal for 2,000 columns beside 5,000 attributes', function () {
  this.timeout(120_000);

  it('never computes for 50 ms without a pause', async () => {
    // Every name is a typing error away from some attribute.
    const names = Array.from({ length: COLUMNS }, (_, index) => `${nameOf(index * 2)}x`);
    const file = csv(names, 3, (row) => names.map((_, index) => `${row}${index}`));
    const inspection = await inspectionOf(file, { limits: { maxColumns: COLUMNS } });
    const attributes = Array.from({ length: ATTRIBUTES }, (_, index): GivenAttribute => {
      const options = Array.from({ length: 20 }, (_each, option) => `${option} of ${index}`);
      return { name: nameOf(index), ...(index % 5 === 0 ? { type: 'OPTIONS', options } : {}) };
    });
    const definitions = definitionsOf({ attributes });
    let since = process.cpuUsage();
    const turns: number[] = [];
    const pause = async (): Promise<void> => {
      const { user, system } = process.cpuUsage(since);
      turns.push((user + system) / 1_000);
      since = process.cpuUsage();
    };
    const proposal = await propose({ inspection, definitions, aliases: {}, fileType: 'ITEM_IMPORT' }, pause);
    await pause();
    assert.equal(proposal.lines.length, COLUMNS);
    assert.ok(proposal.questions.length > 100, `${proposal.questions.length} names are near others`);
    // The very first turns are those of code that was not compiled yet, and some are those of the garbage collector.
    const worst = turns.slice(10).sort((a, b) => b - a);
    assert.ok((worst[3] ?? 0) < MOST_MS, worst.slice(0, 8).join());
  });
});
