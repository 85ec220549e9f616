/** Which profiles read files with the columns of a file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { SourceFormat } from '../../../../src/domain/formats/model/source-format.js';
import { type Profile, profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { documentOf, SHIPPED_PROFILES } from '../../../../src/domain/profiles/shipped/registry.js';
import { formDifferences } from '../../../../src/domain/proposals/compose/form-differences.js';
import { fittingProfiles } from '../../../../src/domain/proposals/fitting-profiles.js';
import { inspectionOf } from './propose-fixture.js';

const shipped = SHIPPED_PROFILES.map((one) => ({ ...one, profile: documentOf(one) }));

async function fitting(file: string | Buffer, format: SourceFormat = 'CSV'): Promise<string[]> {
  const found = await fittingProfiles(await inspectionOf(file, { format }), shipped, async () => {});
  return found.map(({ name }) => name);
}

describe('profiles that read files with the columns of a file', () => {
  const files: Record<string, [string, SourceFormat?]> = {
    'akeneo.csv': ['akeneo'],
    'akeneo-models.csv': ['akeneo-models'],
    'google-merchant.csv': ['google-merchant-csv'],
    'google-merchant.tsv': ['google-merchant', 'TSV'],
    'magento.csv': ['magento'],
    'other-platform.csv': ['other-platform'],
    'prestashop.csv': ['prestashop'],
    'shopify.csv': ['shopify-products'],
    'shopware.csv': ['shopware'],
    'woocommerce.csv': ['woocommerce'],
  };
  for (const [name, [profile, format]] of Object.entries(files)) {
    it(`are found for ${name}, and no other platform is`, async () => {
      const found = await fitting(readFileSync(`examples/shops/${name}`), format);
      assert.ok(found.includes(profile), found.join(', '));
      const family = profile.replace(/-.*/, '');
      assert.deepEqual(
        found.filter((other) => !other.startsWith(family)),
        [],
      );
    });
  }

  it('need all columns that are not optional, in any case and order, and nothing else of them', async () => {
    const lines = readFileSync('examples/shops/magento.csv', 'utf8').split('\n');
    const [header = '', ...rows] = lines;
    const names = header.split(',');
    const widened = [`${header.toUpperCase()},own`, ...rows.map((row) => (row === '' ? row : `${row},1`))];
    assert.deepEqual(await fitting(widened.join('\n')), ['magento']);
    assert.ok(names.includes('product_type'));
    assert.deepEqual(await fitting(lines.join('\n').replace('product_type', 'kind')), []);
  });

  it('have the form of the file', async () => {
    const text = readFileSync('examples/shops/google-merchant.tsv', 'utf8').replaceAll(',', ' ');
    assert.deepEqual(await fitting(text, 'TSV'), ['google-merchant']);
    assert.deepEqual(await fitting(text.replaceAll('\t', ',')), ['google-merchant-csv']);
    assert.deepEqual(await fitting(text.replaceAll('\t', ';')), []);
    const magento = readFileSync('examples/shops/magento.csv', 'utf8');
    assert.deepEqual(await fitting(`Products of today\n\n${magento}`), [], 'an import reads the title as the header');
    const western = magento.replaceAll(/\bTent/g, 'Zelt für Gäste');
    assert.deepEqual(await fitting(Buffer.from(western, 'latin1')), [], 'an import reads it as UTF-8');
  });

  it('are known by their form alone where that reads the same: in ASCII, with a mark, and in encodings with the same characters', async () => {
    const saved = (format: Partial<Profile['format']>) => {
      const columns = ['Nummer', 'Bezeichnung', 'Preis'].map((from) => ({ to: from, from }));
      return profileSchema.parse({ fileType: 'ITEM_IMPORT', columns, format });
    };
    const differences = async (file: string | Buffer, format: Partial<Profile['format']>) =>
      formDifferences((await inspectionOf(file)).format, saved(format));
    const ascii = 'Nummer;Bezeichnung;Preis\nA1;Rad;1\nA2;Helm;2\nA3;Lampe;3\n';
    const german = ascii.replace('Rad', 'Fahrräder für Größere').replace('Helm', 'Schlösser und Schläuche');
    const latin = Buffer.from(german, 'latin1');
    assert.deepEqual(await differences(ascii, { encoding: 'windows-1252' }), []);
    assert.deepEqual(await differences(`\ufeff${german}`, { encoding: 'cp1252' }), []);
    assert.deepEqual(await differences(latin, { encoding: 'ISO-8859-15' }), []);
    assert.match(String(await differences(latin, { encoding: 'windows-1251' })), /encoding is "windows-1251"/);
    assert.match(String(await differences(latin, {})), /names no encoding, so that it is UTF-8.*"windows-1252"/);
    const titled = `Liste von heute\n\n${ascii}`;
    assert.match(String(await differences(titled, {})), /names no row of the header.*in row 3/);
    assert.deepEqual(await differences(titled, { headerRow: 3 }), []);
    for (const line of ['sep=;', '"sep=;"', 'SEP=;'])
      assert.deepEqual(await differences(`${line}\n${ascii}`, {}), [], 'an import takes the line for no row');
    assert.match(String(await differences(`sep=;\nListe\n\n${ascii}`, {})), /names no row of the header/);
    assert.match(
      String(await differences(ascii, { rowPath: 'items' })),
      /is for JSON and XML, and the file is a table/,
    );
  });

  it('are none for a file that shares a few names with all of them', async () => {
    assert.deepEqual(await fitting('sku,name,price\nA,One,1\nB,Two,2\n'), []);
  });
});
