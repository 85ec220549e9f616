/** Tables of one to three columns, of which cells hold what divides the cells of other files. */
import assert from 'node:assert/strict';
import { inspect } from './inspect-fixture.js';

/** The delimiter that was found with its verdict, and the names of the columns. */
async function judged(text: string): Promise<[string | null, string, string[]]> {
  const { format, columns } = await inspect(text);
  return [format.delimiter?.value ?? null, format.delimiter?.verdict ?? 'none', columns.map(({ name }) => name)];
}

describe('a narrow table', () => {
  for (const [title, text, delimiter] of [
    ['lists in quotes', 'SKU,Name\nA-746,"gross;Holz;rot;Stuhl"\nA-138,"gross;Tisch;Holz;blau"\n', ','],
    ['lists without quotes', 'SKU,Name\nA-748,Zange | Metall | blau\nA-223,Zange | rot | Lampe\n', ','],
    [
      'all cells in quotes, and lists of one length',
      '"SKU"\t"Name"\n"A-144"\t"Tisch;Stuhl;klein;Zange"\n"A-239"\t"blau;Metall;rot;Tisch"\n',
      '\t',
    ],
    [
      'three columns, of which two are lists',
      'SKU\tName\tPreis\nA-384\t"gross;Hammer;Stuhl;rot"\t"blau,klein"\nA-825\t"Holz; rot; gross; Zange"\tZange,klein\n',
      '\t',
    ],
    ['a list in front', 'SKU|Name\n"a;b;c;d"|x\n"e;f;g;h"|y\n', '|'],
    ['a name with what divides its list', 'SKU,"Name; Art"\nA-166,"a;b;c;d;e"\nA-362,f;g;h;i;j\n', ','],
    ['a name in quotes with a delimiter', '"Name; kurz",SKU\n"a;b;c;d",x\n"e;f;g;h",y\n', ','],
  ] as const) {
    it(`${title}: is divided as its header is`, async () => {
      const [found, verdict] = await judged(text);
      assert.equal(found, delimiter);
      assert.ok(['certain', 'likely'].includes(verdict), verdict);
    });
  }

  it('with one column in quotes has one column', async () => {
    for (const sign of [',', ';', '|']) {
      const rows = ['Lampe?gross?Hammer', 'Zange?Hammer?Tisch', 'Holz?klein?Holz'].map((row) =>
        row.replaceAll('?', sign),
      );
      const [, verdict, names] = await judged(`"SKU"\n${rows.map((row) => `"${row}"\n`).join('')}`);
      assert.deepEqual(names, ['SKU'], sign);
      assert.notEqual(verdict, 'ambiguous');
    }
  });

  it('whose header has one name above values that a sign divides is asked about', async () => {
    for (const rows of [
      ['66,95', '86,61', '36,50', '7,13'],
      ['Holz,Zange,Metall', 'Lampe,Hammer', 'Tisch,gross', 'Stuhl,blau,rot', 'Metall', 'klein,Tisch,Stuhl,gross'],
    ]) {
      const { format } = await inspect(`Preis\n${rows.join('\n')}\n`);
      assert.equal(format.delimiter?.verdict, 'ambiguous');
      assert.ok(format.delimiter.rivals.length > 0);
    }
  });
});
