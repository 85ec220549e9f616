/** What an inspection says of a whole file. */
import assert from 'node:assert/strict';
import { columnOf, inspect } from './inspect-fixture.js';

/** A German export: windows-1252, a title, `;`, decimal commas, days before months, ja and nein, paths, lists, units. */
function germanFile(rows: number): Buffer {
  const lines = ['Artikelexport vom 24.11.2026', ''];
  lines.push('Artikelnr;Bezeichnung;Preis;Lieferbar;Verfügbar ab;Kategorie;Farben;Breite;EAN');
  for (let number = 1; number <= rows; number += 1) {
    const day = String((number % 28) + 1).padStart(2, '0');
    lines.push(
      [
        `A-${1000 + number}`,
        `Fahrrad größer ${number}`,
        number % 3 === 0 ? `1.${String(900 + (number % 99))},27` : `${number % 97},50 €`,
        number % 2 === 0 ? 'ja' : 'nein',
        `${day}.03.2026`,
        ['Fahrräder > E-Bikes', 'Fahrräder > Rennräder', 'Zubehör > Helme > Kinder', 'Zubehör > Schlösser'][number % 4],
        ['rot|grün', 'blau', 'rot|blau|weiß', 'grün'][number % 4],
        `${10 + (number % 50)},5 cm`,
        `4006381${String(33393 + number).padStart(5, '0')}`.slice(0, 12) +
          checkDigit(`4006381${String(33393 + number).padStart(5, '0')}`),
      ].join(';'),
    );
  }
  lines.push('Summe;;12.345,00;;;;;;');
  return Buffer.from(lines.join('\r\n').replaceAll('€', '\u0080'), 'latin1');
}

function checkDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10);
}

describe('inspectSource', () => {
  it('asks for the encoding where a few CJK signs stand between Latin words', async () => {
    const cells = Array.from({ length: 40 }, (_, row) => [
      Buffer.from(`P1000${row},RACK ${row} `),
      // The wide brackets of GB 18030, as Chinese programs write them.
      Buffer.from([0xa3, 0xa8]),
      Buffer.from(row % 2 === 0 ? 'FROTIS' : 'LEFT'),
      Buffer.from([0xa3, 0xa9]),
      Buffer.from(`,${row}.5\n`),
    ]);
    const { format } = await inspect(Buffer.concat([Buffer.from('Code,Name,Price\n'), ...cells.flat()]));
    const { value, verdict, reason, rivals } = format.encoding;
    assert.deepEqual([value, verdict], ['gb18030', 'ambiguous']);
    assert.match(reason, /（FROTIS）/);
    assert.ok(
      rivals.some((rival) => rival.startsWith('iso-8859')),
      rivals.join(', '),
    );
  });

  it('tells signs of currencies, one word in Cyrillic, and UTF-8 of which a byte is wrong, from other encodings', async () => {
    const cyrillic = (text: string) => Buffer.from([...text].map((sign) => (sign.codePointAt(0) ?? 0) - 0x410 + 0xc0));
    const rows = (cell: Buffer) =>
      Array.from({ length: 60 }, (_, row) => Buffer.concat([Buffer.from(`A-${row},`), cell, Buffer.from('\n')]));
    const encodingOf = async (...parts: Buffer[]) => {
      const { format } = await inspect(Buffer.concat([Buffer.from('sku,value\n'), ...parts]));
      return [format.encoding.value, format.encoding.verdict];
    };
    const [pounds] = await encodingOf(...rows(Buffer.from('£9.50', 'latin1')));
    assert.equal(pounds, 'windows-1252', 'in windows-1250 it would be a letter of Polish');
    assert.deepEqual(await encodingOf(...rows(cyrillic('да'))), ['windows-1251', 'certain']);
    assert.deepEqual(await encodingOf(...rows(Buffer.from('créée', 'latin1'))), ['windows-1252', 'certain']);
    // It would be read, and every accent would be wrong.
    await assert.rejects(
      encodingOf(...rows(Buffer.from('Café')), Buffer.from([0x41, 0x2c, 0xff, 0x0a])),
      /Row 62 is not valid UTF-8/,
    );
  });

  it('says how a German export is written, and what its columns are', async () => {
    const inspection = await inspect(germanFile(200));
    const { format, rows, kind } = inspection;
    assert.deepEqual(
      [format.encoding.value, format.delimiter?.value, format.quote?.value, format.headerRow.value, format.lastRows],
      ['windows-1252', ';', '"', 3, 1],
    );
    assert.deepEqual(format.titleLines, ['Artikelexport vom 24.11.2026', '']);
    assert.equal(rows, 200);
    assert.equal(kind.value, 'items');
    const types = inspection.columns.map(({ type }) => `${type.value} ${type.verdict}`);
    assert.deepEqual(types, [
      'text certain',
      'text certain',
      'decimal certain',
      'boolean certain',
      'date certain',
      'text certain',
      'text certain',
      'decimal certain',
      'text certain',
    ]);
    const price = columnOf(inspection, 'Preis').number;
    assert.deepEqual([price?.decimal.value, price?.thousands.value, price?.currency], [',', '.', ['€']]);
    assert.deepEqual(columnOf(inspection, 'Breite').number?.units, ['cm']);
    assert.deepEqual(columnOf(inspection, 'Verfügbar ab').date?.formats.value, ['dd.MM.yyyy']);
    assert.deepEqual(columnOf(inspection, 'Lieferbar').boolean, { true: ['ja'], false: ['nein'] });
    assert.equal(columnOf(inspection, 'Kategorie').path?.value, '>');
    assert.equal(columnOf(inspection, 'Farben').list?.value, '|');
    assert.equal(columnOf(inspection, 'Artikelnr').isUnique, true);
    assert.equal(columnOf(inspection, 'Farben').isUnique, false);
  });
});
