/** Columns by the names of attributes in other languages: offered by templates, read by imports. */
import assert from 'node:assert/strict';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const named = (name: string, ...locales: [locale: string, name: string][]) => ({
  name,
  type: 'TEXT',
  locales: locales.map(([locale, localized]) => ({ locale, name: localized })),
});

describe('names of attributes in other languages', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        named('Title', ['de-DE', 'Titel'], ['fr-FR', 'Titre']),
        { ...named('Price', ['de-DE', 'Preis']), type: 'DECIMAL' },
        named('Colour', ['de-DE', 'Farbe'], ['en-US', 'Color']),
        named('Paint', ['de-DE', 'Farbe']),
        named('Size', ['de-DE', 'SKU'], ['fr-FR', 'Title'], ['it-IT', '_taglia']),
      ],
      categories: { Disk: ['Title', 'Price', 'Colour', 'Paint', 'Size'] },
    });
  });

  const header = async (locale: string, nodeId?: number): Promise<string> => {
    const answer = await shop.call('POST', `/item-import-templates?locale=${locale}`, { body: { nodeId } });
    assert.equal(answer.status, 200);
    return answer.bytes
      .toString('utf8')
      .trim()
      .replace(/^\uFEFF/, '');
  };

  it('head a template, where they say which attribute is meant', async () => {
    const disk = await shop.category('Disk');
    assert.equal(await header('de-DE'), 'Category Node,SKU,Parent SKU,Titel,Preis,Colour,Paint,Size');
    assert.equal(await header('de', disk), 'Category Node,SKU,Parent SKU,Titel,Preis,Colour,Paint,Size');
    assert.equal(await header('fr_FR'), 'Category Node,SKU,Parent SKU,Titre,Price,Colour,Paint,Size');
    assert.equal(await header('en-GB'), 'Category Node,SKU,Parent SKU,Title,Price,Color,Paint,Size');
    assert.equal(await header('it'), 'Category Node,SKU,Parent SKU,Title,Price,Colour,Paint,Size');
  });

  it('are read by imports, whatever their case, and named in errors', async () => {
    const outcome = await shop.importFile(
      'i.csv',
      'SKU,Category Node,TITEL,Preis,color\nA,Disk,a,1.5,red\nB,Disk,b,viel,x\n',
    );
    assert.deepEqual(places(outcome), [[3, 'Preis', 'VALUE_TYPE']]);
    assert.deepEqual((await shop.item('A'))?.attributes, { Title: 'a', Price: '1.5', Colour: 'red' });
    const again = await shop.importFile('i.csv', 'SKU,Category Node,Title,Price,Colour\nA,Disk,a,1.5,red\n');
    assert.equal(again.unchanged, 1);
  });

  it('are refused where two attributes have one, and where a column comes twice', async () => {
    const ambiguous = await shop.importFile('i.csv', 'SKU,Category Node,Farbe\nA,Disk,red\n');
    assert.deepEqual([ambiguous.status, ambiguous.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(ambiguous.message, /"Farbe".*"Colour" and "Paint"/);
    const twice = await shop.importFile('i.csv', 'SKU,Category Node,Titel,Titre\nA,Disk,a,b\n');
    assert.equal(twice.reason, 'DUPLICATE_COLUMN');
  });
});
