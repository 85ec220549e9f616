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

  it('are asked for where a quotation mark that nothing opened may be a letter of a Mac', async () => {
    const wrong: string[] = [];
    for (const word of ['Zoë', 'così', 'lunedì', 'aquí']) wrong.push(...(await wrongIn('macintosh', word)));
    assert.deepEqual(wrong, []);
    for (const word of ['‚Zitat‘', '‘quoted’', '„Zitat“', '“quoted”', 'Zoë', 'Hans’ Auto', 'dogs’']) {
      const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });

  it('are not asked for where a sign stands at a word of a file in a language without the letters that it may be', async () => {
    const files = [
      ...['Wait…', 'etc…', 'Loading…'].map((word) => [word, 'black leather belt']),
      ...['für…', 'Mehr…', 'weiter…'].map((word) => [word, 'Hose schwarz']),
      ...['très…', 'noir\u00a0mat', 'cuir\u00a0noir', 'M.\u00a0Dupont'].map((word) => [
        word,
        'Sac et chaussures du soir',
      ]),
    ];
    for (const [word = '', other = ''] of files) {
      const text = `sku;name;price\n${[word, other, 'X', 'Y'].map((name, n) => `A${n};${name};${n},50\n`).join('')}`;
      const { value, verdict, rivals } = (await inspect(iconv.encode(text, 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
    }
  });

  it('are not those of other scripts where a letter, or a sign of a unit, stands by itself', async () => {
    for (const word of ['à la carte', 'sac à main', '10 µm', '5 µg', 'Ø 12 mm', '12 Å', '1º', '5 ¥']) {
      for (const isAlone of [true, false]) {
        const { value, verdict, rivals } = (await inspect(iconv.encode(table(word, isAlone), 'win1252'))).format
          .encoding;
        assert.deepEqual([value, verdict], ['windows-1252', 'certain'], `${word}: ${rivals}`);
      }
    }
    const wrong: string[] = [];
    for (const word of ['5 л', '5 м', 'л']) wrong.push(...(await wrongIn('windows-1251', word)));
    for (const word of ['è bello', 'è']) wrong.push(...(await wrongIn('windows-1252', word)));
    for (const word of ['Size\u00a0M', '5\u00a0kg', 'noir\u00a0mat']) wrong.push(...(await wrongIn('macintosh', word)));
    assert.deepEqual(wrong, []);
  });

  it('are asked for where a letter and a sign of windows-1252 are one character of UTF-8 by chance', async () => {
    for (const word of ['weiß…', 'MENÜ“', 'GRÖ…', 'HEIß–']) {
      const { value, verdict } = (await inspect(iconv.encode(table(word, false), 'win1252'))).format.encoding;
      assert.deepEqual([value, verdict], ['windows-1252', 'ambiguous'], word);
    }
    for (const word of ['weiß…', 'Größe', 'Привет', 'Ωmega', 'שלום', 'أحمر', 'Հայ', 'Größe שלום', 'cm²']) {
      const { value, verdict } = (await inspect(table(word, true))).format.encoding;
      assert.deepEqual([value, verdict], ['utf-8', 'certain'], word);
    }
  });
});
