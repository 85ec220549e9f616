/** Files in the encodings of DOS and of older Macs: one may be asked for, but is never certain and wrong. */
import assert from 'node:assert/strict';
import iconv from 'iconv-lite';
import { inspect } from './inspect-fixture.js';

/** A table in which this word is in every third row, or in all. */
function table(word: string, isAlone: boolean): string {
  const others = ['shirt red', 'Nom du produit', 'Farbe rot', 'le client et la table'];
  const rows = Array.from({ length: 40 }, (_, n) => {
    const name = isAlone || n % 3 === 0 ? word : others[n % others.length];
    return `A${n};${name};${n},50\n`;
  });
  return `sku;name;price\n${rows.join('')}`;
}

/** What is wrong about the encoding of a file with this word; null: it is certain and right, or asked for. */
async function wrongIn(encoding: string, word: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const isAlone of [true, false]) {
    const text = table(word, isAlone);
    const bytes = iconv.encode(text, encoding);
    const { value, verdict } = (await inspect(bytes)).format.encoding;
    const isRight = value !== null && iconv.decode(bytes, value) === text;
    if (verdict === 'certain' && !isRight)
      wrong.push(`${word} in ${encoding}, ${isAlone ? 'alone' : 'among others'}: ${value}`);
  }
  return wrong;
}

describe('files in older encodings', () => {
  it('are never taken for those of a Mac with certainty where they are in that of DOS', async () => {
    const words = [
      ...['Modèle', 'Crème', 'Pièce', 'Manière', 'Arrière', 'crème', 'Noël', 'Lève', 'três', 'pièce', 'modèle'],
      ...['garçon', 'forêt', 'fenêtre', 'você', 'ÉTÉ', 'Rød/Grøn', 'Käse', 'Noël/Joël', 'Grön', 'kött', 'Ångström'],
      ...['été', 'perché', 'São Paulo', 'Zubehör', 'Räder', 'Blå', 'Año'],
    ];
    const wrong: string[] = [];
    for (const word of words) wrong.push(...(await wrongIn('ibm850', word)));
    assert.deepEqual(wrong, []);
  });

  it('have the encoding of DOS before that of a Mac where both read words', async () => {
    for (const word of ['Modèle', 'Pièce', 'Käse', 'forêt', 'Grön']) {
      const { value, rivals } = (await inspect(iconv.encode(table(word, true), 'ibm850'))).format.encoding;
      const all = [value, ...rivals];
      assert.ok(all.includes('ibm850'), `${word}: ${all}`);
      const mac = all.indexOf('macintosh');
      assert.ok(mac < 0 || all.indexOf('ibm850') < mac, `${word}: ${all}`);
    }
  });

  it('are asked for where one word at whose end a sign of windows-1252 could stand is all that they have', async () => {
    const wrong: string[] = [];
    for (const word of ['città', 'Ça va', 'perché', 'più', 'qualità', 'à la carte'])
      wrong.push(...(await wrongIn('ibm850', word)), ...(await wrongIn('macintosh', word)));
    for (const word of ['Noël', 'Citroën', 'Ça va']) wrong.push(...(await wrongIn('macintosh', word)));
    for (const word of ['cà phê', 'Áo', 'màu', 'bánh', 'cá']) wrong.push(...(await wrongIn('windows-1258', word)));
    assert.deepEqual(wrong, []);
  });

  it('are never those of pairs of bytes that no pair has: such a file could not be read', async () => {
    for (const isAlone of [true, false]) {
      const { value } = (await inspect(iconv.encode(table('€…', isAlone), 'win1252'))).format.encoding;
      assert.equal(value, 'windows-1252');
    }
  });

  it('are not asked for where signs of windows-1252 stand as signs do', async () => {
    const texts = ['Rock’n’Roll', 'l’eau', '“Best” of', 'Size – M', '5 € – 10 €', 'Brand™', 'don’t', '½ l'];
    for (const text of texts) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(text, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${text}: ${rivals}`);
    }
  });

  it('are not certain of another script where they have one short word of Cyrillic', async () => {
    const wrong: string[] = [];
    for (const word of ['кг', 'шт', 'руб', 'да']) wrong.push(...(await wrongIn('koi8-r', word)));
    assert.deepEqual(wrong, []);
  });

  it('are asked for where they are those of a Mac, and what windows-1252 is remains so', async () => {
    const wrong: string[] = [];
    for (const word of ['Käse', 'Räder', 'Zubehör', 'Grön', 'Måndag'])
      wrong.push(...(await wrongIn('macintosh', word)));
    for (const word of ['Noël', 'Käse', 'cœur']) wrong.push(...(await wrongIn('windows-1252', word)));
    assert.deepEqual(wrong, []);
    for (const word of ['Käse', 'modèle', 'GRÖßE', 'garçon', 'Año', 'Rød/Grøn']) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });
});
