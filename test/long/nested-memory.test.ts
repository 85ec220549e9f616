/** JSON and XML documents of 200 MB are read as tables at the memory of a few rows. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findRows } from '../../src/domain/formats/table/find-rows.js';
import { openTable } from '../../src/domain/formats/table/open-table.js';
import type { TableInput } from '../../src/domain/formats/table/table.js';
import { sourceInput } from '../unit/domain/formats/source-fixture.js';

const MIB = 1024 * 1024;
const BYTES = 200 * MIB;
/** Rows of one block, and what the garbage of a few blocks takes. */
const MOST_MB = 80;
const ROWS_OF_BLOCK = 100;

interface Document {
  readonly format: 'XML' | 'JSON';
  readonly before: string;
  readonly after: string;
  readonly rowPath: string;
  row(index: number): string;
}

const DOCUMENTS: readonly Document[] = [
  {
    ...{ format: 'XML', before: '<?xml version="1.0"?><catalog>', after: '</catalog>', rowPath: 'catalog/product' },
    row: (index) =>
      `<product id="${index}"><title>Fahrrad größer ${index}</title><text><![CDATA[${'lorem ipsum '.repeat(40)}]]></text>` +
      `<price currency="EUR">${index}.50</price><feature><name>Color</name><value>c${index % 50}</value></feature>` +
      `<feature><name>Size</name><value>${index % 9}</value></feature></product>\n`,
  },
  {
    ...{ format: 'JSON', before: '{"catalog":{"products":[{"id":0}', after: ']}}', rowPath: 'catalog/products' },
    row: (index) =>
      `,\n{"id":${index},"title":"Fahrrad größer ${index}","text":"${'lorem ipsum '.repeat(40)}","price":${index}.50,` +
      `"features":[{"name":"Color","value":"c${index % 50}"},{"name":"Size","value":${index % 9}}]}`,
  },
];

async function* blocksOf({ before, after, row }: Document): AsyncGenerator<Buffer> {
  yield Buffer.from(before);
  let bytes = 0;
  for (let index = 1; bytes < BYTES; index += ROWS_OF_BLOCK) {
    const block = Buffer.from(Array.from({ length: ROWS_OF_BLOCK }, (_, each) => row(index + each)).join(''));
    bytes += block.length;
    yield block;
  }
  yield Buffer.from(after);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function usedMB(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

describe('a nested source of 200 MB', function () {
  this.timeout(600_000);

  for (const document of DOCUMENTS) {
    it(`needs no more memory than a small one: ${document.format}`, async () => {
      const input: TableInput = sourceInput(Buffer.alloc(0), {
        format: document.format,
        openUpload: async () => Readable.from(blocksOf(document)),
      });
      collectGarbage();
      const before = usedMB();
      let most = 0;
      const [found] = await findRows(input);
      assert.equal(found?.path, document.rowPath);
      const table = await openTable(input, { rowPath: document.rowPath });
      let rows = 0;
      for await (const batch of table.batches) {
        rows += batch.length;
        if (rows % 10_000 < batch.length) {
          collectGarbage();
          most = Math.max(most, usedMB());
        }
      }
      assert.ok(rows > 250_000, `${rows} rows`);
      assert.ok(most - before < MOST_MB, `${Math.round(most - before)} MB more than before`);
    });
  }
});
