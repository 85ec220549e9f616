/** Which profiles read files with the columns of a file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { SourceFormat } from '../../../../src/domain/formats/model/source-format.js';
import { documentOf, SHIPPED_PROFILES } from '../../../../src/domain/profiles/shipped/registry.js';
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
    'google-merchant.tsv': ['google-merchant', 'TSV'],
    'magento.csv': ['magento'],
    'other-platform.csv': ['other-platform'],
    'shopify.csv': ['shopify-products'],
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
    const text = readFileSync('examples/shops/google-merchant.tsv', 'utf8').replaceAll(',', ' ').replaceAll('\t', ',');
    assert.deepEqual(await fitting(text), []);
    const magento = readFileSync('examples/shops/magento.csv', 'utf8');
    assert.deepEqual(await fitting(`Products of today\n\n${magento}`), [], 'an import reads the title as the header');
    const western = magento.replaceAll(/\bTent/g, 'Zelt für Gäste');
    assert.deepEqual(await fitting(Buffer.from(western, 'latin1')), [], 'an import reads it as UTF-8');
  });

  it('are none for a file that shares a few names with all of them', async () => {
    assert.deepEqual(await fitting('sku,name,price\nA,One,1\nB,Two,2\n'), []);
  });
});
