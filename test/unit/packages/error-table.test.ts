/** The console reads error files of text and of JSON as grids, or leaves to other programs what it would write otherwise than it was. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(
  new URL('../../../../packages/console/src/pages/imports/read-error-file.ts', import.meta.url),
);

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly row: number; readonly cells: readonly string[] }[];
  readonly write: (edits: ReadonlyMap<string, string>, leftOut: ReadonlySet<number>) => Blob;
}
type Read = (answer: Response, name: string, hasProfile: boolean) => Promise<Table | undefined>;

describe('the grid of an error file', () => {
  let read: Read;
  before(async () => {
    const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: 'esm', write: false });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    read = (await import(`data:text/javascript;base64,${code}`)).readErrorFile;
  });

  const answer = (text: string | Buffer<ArrayBuffer>, type: string) =>
    new Response(text, { headers: { 'content-type': type } });

  it('leaves a file of a profile that may have a backslash before quotes to other programs', async () => {
    for (const cell of ['"5\\" pipe"', '"C:\\\\dir\\\\x"']) {
      const text = `SKU,Note,_row,_column,_code,_message\nA,${cell},2,Note,VALUE_TYPE,no\n`;
      assert.equal(await read(answer(text, 'text/csv'), 'a.csv', true), undefined, cell);
    }
    const text = 'SKU,Note,_row,_column,_code,_message\nA,"C:\\\\dir ""x""",2,Note,VALUE_TYPE,no\n';
    assert.deepEqual((await read(answer(text, 'text/csv'), 'a.csv', false))?.rows[0]?.cells, ['A', 'C:\\\\dir "x"']);
  });

  it('leaves texts of an unknown encoding to other programs, compressed or not', async () => {
    const text = 'SKU,Note,_row,_column,_code,_message\nA,Möbel,2,Note,VALUE_TYPE,no\n';
    const latin = Buffer.from(text, 'latin1');
    assert.equal(await read(answer(latin, 'text/csv'), 'a.csv', false), undefined);
    assert.equal(await read(answer(gzipSync(latin), 'application/gzip'), 'a.csv.gz', true), undefined);
    // By chance, these bytes are UTF-8 as well.
    assert.equal(await read(answer(gzipSync(text), 'application/gzip'), 'a.csv.gz', true), undefined);
    const type = 'application/gzip; charset=windows-1252';
    for (const known of [
      await read(answer(gzipSync(latin), type), 'a.csv.gz', true),
      await read(answer(gzipSync(text), 'application/gzip'), 'a.csv.gz', false),
    ]) {
      assert.deepEqual(known?.rows[0]?.cells, ['A', 'Möbel']);
    }
    assert.equal(await read(answer(gzipSync(text).subarray(0, 40), 'application/gzip'), 'a.csv.gz', false), undefined);
  });

  it('keeps members apart whose paths are written alike', async () => {
    const problem = { _column: 'b', _code: 'VALUE_TYPE', _message: 'no' };
    const elements = [
      { sku: 'A', a: { b: 1 }, _row: 1, ...problem },
      { sku: 'B', 'a.b': 2, _row: 2, ...problem },
    ];
    const table = await read(answer(JSON.stringify(elements), 'application/json'), 'a.json', false);
    assert.ok(table);
    assert.deepEqual(table.columns, ['sku', 'a.b', 'a.b', 'b']);
    assert.deepEqual(table.rows[0]?.cells.slice(0, 3), ['A', '1', '']);
    assert.deepEqual(table.rows[1]?.cells.slice(0, 3), ['B', '', '2']);
    const [first, second] = JSON.parse(await table.write(new Map([['1:1', '5']]), new Set()).text());
    assert.deepEqual([first.a, first['a.b'], second['a.b']], [{ b: 5 }, undefined, 2]);
  });
});
