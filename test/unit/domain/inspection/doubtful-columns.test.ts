/** Cells that can be two things: what a column is of them is asked for, or said to be likely. */
import assert from 'node:assert/strict';
import { inspectSource } from '../../../../src/domain/inspection/inspect-source.js';
import { storedInspectionSchema } from '../../../../src/domain/inspection/model/inspection.js';
import { sourceInput } from '../formats/source-fixture.js';
import { columnOf, inspect } from './inspect-fixture.js';

/** A table whose second column has these cells, with quotes around them. */
function table(name: string, cells: readonly string[]): string {
  return `sku;${name}\n${cells.map((cell, row) => `A${row};"${cell}"\n`).join('')}`;
}

async function columnWith(name: string, cells: readonly string[]) {
  return columnOf(await inspect(table(name, cells)), name);
}

/** The type of a column with these cells, and how sure it is. */
async function typeOf(name: string, cells: readonly string[]) {
  const { type } = await columnWith(name, cells);
  return [type.value, type.verdict];
}

function cells(count: number, cell: (row: number) => string | number): string[] {
  return Array.from({ length: count }, (_, row) => String(cell(row)));
}

describe('a column of cells that can be two things', () => {
  it('has numbers if their exponents have no sign but a fraction, and codes without a fraction', async () => {
    assert.deepEqual(
      await typeOf(
        'Umsatz',
        cells(20, (row) => `${row + 1}.5E7`),
      ),
      ['decimal', 'certain'],
    );
    assert.deepEqual(
      await typeOf(
        'Umsatz',
        cells(20, (row) => `1.${row}E-${row}`),
      ),
      ['decimal', 'certain'],
    );
    const mixed = cells(20, (row) => (row % 2 === 0 ? `${row}.5` : `1.${row}E10`));
    assert.deepEqual(await typeOf('Umsatz', mixed), ['decimal', 'certain']);
    assert.equal(
      (
        await typeOf(
          'Modell',
          cells(20, (row) => `${row + 1}E5`),
        )
      )[0],
      'text',
    );
  });

  it('has a note if a minus before its numbers is none that an import reads', async () => {
    for (const minus of ['\u2013', '\u2212', '\u2012', '-']) {
      const text = table(
        'Temperatur',
        cells(20, (row) => (row % 3 === 0 ? `${minus}${row + 1}` : row)),
      );
      const { notes = [] } = storedInspectionSchema.parse(await inspectSource(sourceInput(Buffer.from(text), {})));
      const isNoted = notes.some(({ index, minusBehind }) => index === 1 && minusBehind);
      assert.equal(isNoted, minus !== '-', `U+${minus.codePointAt(0)?.toString(16)}`);
    }
  });

  it('is not certain of a minus behind whole numbers, and has texts where nearly all have one', async () => {
    assert.deepEqual(
      await typeOf(
        'Menge',
        cells(20, (row) => `${row}${row % 4 === 0 ? '-' : ''}`),
      ),
      ['integer', 'likely'],
    );
    for (const share of [1, 20]) {
      const sizes = cells(40, (row) => `${row * 10}${share > 1 && row % share === 1 ? '' : '-'}`);
      const { type, number } = await columnWith('Alter', sizes);
      assert.deepEqual([type.value, type.verdict, number], ['text', 'likely', null]);
      assert.match(type.reason, /"-" behind, such as "0-" in row 2/);
    }
    assert.deepEqual(
      await typeOf(
        'Saldo',
        cells(20, (row) => `${row},50-`),
      ),
      ['decimal', 'certain'],
    );
    assert.equal((await typeOf('Saldo', cells(20, (row) => `${row}-`).concat('€ 5')))[0], 'integer');
  });

  it('has amounts if one of them is large, and codes if the others are as long', async () => {
    const withLarge = (cell: (row: number) => string | number) =>
      cells(30, (row) => (row === 7 ? '1.5E+10' : cell(row)));
    assert.equal(
      (
        await typeOf(
          'Umsatz',
          withLarge((row) => row * 7),
        )
      )[0],
      'decimal',
    );
    assert.deepEqual(
      await typeOf(
        'EAN',
        withLarge((row) => row * 7),
      ),
      ['text', 'likely'],
    );
    assert.deepEqual(
      await typeOf(
        'Nummern',
        withLarge((row) => 12_345_678 + row * 7),
      ),
      ['text', 'likely'],
    );
    assert.equal(
      (
        await typeOf(
          'Nummern',
          withLarge((row) => `00${row}`),
        )
      )[0],
      'text',
    );
    assert.deepEqual(
      await typeOf(
        'Umsatz',
        cells(30, (row) => `4.${row}E+12`),
      ),
      ['text', 'likely'],
    );
  });

  it('has days of another calendar only if nearly all of its years are of one', async () => {
    const days = (others: number, year: number) =>
      cells(30, (row) => `${10 + (row % 18)}.12.${row < others ? year : 2020 + (row % 5)}`);
    assert.deepEqual(await typeOf('Bis', days(0, 0)), ['date', 'certain']);
    assert.deepEqual(await typeOf('Bis', days(10, 2460)), ['date', 'likely']);
    for (const year of [2569, 1405, 1447]) assert.deepEqual(await typeOf('Bis', days(30, year)), ['text', 'likely']);
    const never = cells(30, (row) => (row % 2 === 0 ? '31.12.2500' : `${10 + (row % 18)}.01.2026`));
    const { type, date } = await columnWith('Bis', never);
    assert.deepEqual([type.value, type.verdict, date?.formats.value], ['date', 'certain', ['dd.MM.yyyy']]);
    assert.deepEqual(
      await typeOf(
        'Bis',
        cells(30, () => '2500-12-31'),
      ),
      ['date', 'certain'],
    );
  });

  it('has lists of numbers by a comma, and no lists in its amounts', async () => {
    const listOf = async (values: readonly string[]) => (await columnWith('Sizes', values)).list?.value ?? null;
    assert.equal(
      await listOf(cells(20, (row) => ['36,37,38,39', '38,39,40', '36,38,40', '37,39'][row % 4] as string)),
      ',',
    );
    assert.equal(
      await listOf(cells(20, (row) => ['36,37,100,120', '36,37,140', '36,38,120', '37,38,140'][row % 4] as string)),
      ',',
    );
    assert.equal(await listOf(cells(20, (row) => `XYZ 1,${row + 10}0.00`)), null);
    assert.equal(await listOf(cells(20, (row) => `XYZ 1,${row + 10},${row + 10}0.00`)), null);
    assert.equal(await listOf(cells(20, (row) => `ab ${row},50`)), null);
  });
});
