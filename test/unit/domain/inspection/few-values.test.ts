/** Columns of lists and paths of which there are few values, or one that a program has written. */
import assert from 'node:assert/strict';
import { columnOf, inspect } from './inspect-fixture.js';

describe('the structure of a column', () => {
  it('with few cells is a path by a sign that only paths have, and not certain', async () => {
    for (const rows of [1, 2]) {
      const text = `sku;Kategorie\n${Array.from({ length: rows }, (_, row) => `A${row};Möbel > Stühle\n`).join('')}`;
      const { path } = columnOf(await inspect(text), 'Kategorie');
      assert.deepEqual([path?.value, path?.verdict], ['>', 'likely'], text);
    }
    const many = `sku;Kategorie\n${['A', 'B', 'C'].map((sku) => `${sku};Möbel > Stühle\n`).join('')}`;
    assert.equal(columnOf(await inspect(many), 'Kategorie').path?.verdict, 'certain');
  });

  const colours = ['rot', 'blau', 'grün', 'gelb', 'weiß', 'grau', 'lila'];
  const lists = colours.flatMap((one) => colours.filter((other) => other !== one).map((other) => `${one}|${other}`));
  const withJson = (json: string) => `sku;Farben\n${lists.map((list, row) => `A${row};${list}\n`).join('')}X;${json}\n`;

  it('is a list beside a value of JSON that has no such sign', async () => {
    const { list } = columnOf(await inspect(withJson('"{""a"": [1, 2]}"')), 'Farben');
    assert.deepEqual([list?.value, list?.verdict], ['|', 'certain']);
  });

  it('is shown, where day or month may be first, by a date of which both are possible and differ', async () => {
    const days = ['02.02.2026', '03.04.2026', '05.05.2026'].map((day, row) => `A${row};${day}\n`);
    const formats = columnOf(await inspect(`sku;ab\n${days.join('')}`), 'ab').date?.formats;
    assert.deepEqual([formats?.verdict, formats?.example], ['ambiguous', { row: 3, value: '03.04.2026' }]);
    assert.match(formats?.reason ?? '', /"03\.04\.2026" in row 3/);
  });

  it('is no list if its sign is within the JSON, or much of it is JSON', async () => {
    const broken = withJson('"[""a|b""]"');
    assert.equal(columnOf(await inspect(broken), 'Farben').list, null);
    const much = withJson('"[1, 2]"')
      .split('\n')
      .map((line, row) => (row % 5 === 1 ? line.replace(/;.*/, `;"[1, ${row}]"`) : line));
    assert.equal(columnOf(await inspect(much.join('\n')), 'Farben').list, null);
  });
});
